"""HTTP/1.1 over connections of our own.

wire_transport  where a request goes, and what a proxy is told: the transport of real crawls
proxies         which proxies requests for an origin go through
socks           connections through a SOCKS proxy
pool            which connection a request travels on
connection      a request and its answer on one connection
answer_reader   the head of an answer, and its body out of its framing
"""
