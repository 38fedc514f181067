"""HTTP: a request is sent, a response comes back.

fetch            send a request and return a `Fetched`
body             read a body as far as it is wanted; decode gzip, deflate, br and zstd
response_fields  media type, location, validators and Retry-After of a response
header           a header that is sent beside those of every request, and who gets it
credentials      headers and passwords, and the origins they may go to; the proxies of an origin
cookies          cookies that hosts set, those of a request, and those in the user's file
transport        the interface of the two transports; what observes exchanges; reason codes of failed requests
browsing         pages and forms as a browser asks for them, for logins
httpx_transport  httpx: HTTP/2, odd proxies, and any transport of its kind
connection_pool  our own connections, pooled
connection       one connection, a request at a time
answer_reader    the parser of HTTP/1.1 responses
"""
