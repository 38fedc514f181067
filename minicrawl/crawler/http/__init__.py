"""One request, one answer.

fetch         a request with its redirects of connection and proxy: one `Fetched`
connection    HTTP/1.1 on the wire, and connections kept for the next request
answer        the head of an answer, and its body out of its framing
codings       gzip, deflate, br and zstd undone
content_type  of what type a body is
headers       which of the user's headers go with a request
retry_after   how long a host asks to be left alone
unread        what becomes of an answer that a part of ours fails over
"""
