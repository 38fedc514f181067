"""Control of a crawl from another shell: over the socket of a running crawl, else in its store.

messages      the wire format: a JSON object a line, both ways
socket_files  the path of a crawl's socket
commands      the commands, carried out by a running crawl or in the store of a resting one
listening     the server side, in the running crawl
asking        the client side; settings written as NAME=VALUE
"""
