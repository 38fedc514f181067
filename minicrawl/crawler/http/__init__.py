"""One request, one answer.

fetch            a request, and what came back: one `Fetched`
exchange         what went out and came back, byte for byte, and who is shown it
body             the body of an answer, as far as somebody wants it
response_fields  what the fields of an answer say of its body and its page
content_type     of what type a body is
codings          gzip, deflate, br and zstd undone
logins           names and passwords for hosts
request_headers  which of the user's headers go with a request
retry_after      how long a host asks to be left alone
failures         the reason code of what a request failed by
parser_failures  what becomes of an answer that a part of ours fails over
transport        what carries requests: the protocol
httpx_transport  any transport of httpx in place of the wire
wire             HTTP/1.1 over connections of our own
"""
