"""One request, one answer.

fetch         a request with its redirects of connection and proxy: one `Fetched`
pool          which connection a request travels on
connection    HTTP/1.1 on the wire
answer        the head of an answer, and its body out of its framing
codings       gzip, deflate, br and zstd undone
content_type  of what type a body is
headers       which of the user's headers go with a request
retry_after   how long a host asks to be left alone
unread        what becomes of an answer that a part of ours fails over
"""
