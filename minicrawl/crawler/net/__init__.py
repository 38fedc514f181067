"""Connections, below HTTP.

addresses   the address that a connection goes to, and the refusal of private ones
dns         the addresses of a name
tls         TLS between a transport and the protocol above it
open_files  the number of connections that the system's limit of open files allows
deadlines   one timer for the time limits of many requests
"""
