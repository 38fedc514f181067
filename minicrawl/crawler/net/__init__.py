"""Connections, below HTTP.

addresses   which address a connection goes to, or may not
dns         which addresses a name has
tls         TLS between a transport and the protocol above it
open_files  how many connections there may be
deadlines   one timer for the time limits of many requests
"""
