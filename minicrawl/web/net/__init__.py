"""Connections, below HTTP.

addresses   the addresses of a name, the one that a connection goes to, and the refusal of private ones
routes      where requests go instead: other addresses, proxies
tls         TLS between a transport and the protocol above it
open_files  the number of connections that the system's limit of open files allows
"""
