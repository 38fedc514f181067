"""HTTP/1.1 for browsers on this machine.

http_server  connections, requests and answers
guard        requests that are refused: foreign hosts, foreign origins, no token
sharing      one computation for all pages that ask for the same
"""
