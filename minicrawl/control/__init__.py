"""Control of a crawl from another shell: over the socket of a running crawl, else in its store.

messages      the wire format, a JSON object a line, both ways; the socket file
commands      the commands, carried out by a running crawl or in the store of a resting one; the server side
asking        the client side; settings written as NAME=VALUE
"""
