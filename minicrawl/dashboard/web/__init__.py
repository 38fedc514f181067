"""What the dashboard is served by: HTTP/1.1 for browsers on this machine, and who may ask.

http_messages  requests and answers, as values
http_server    connections, over which they come and go
guard          which requests are refused, and why
static_files   the page itself: HTML, style and scripts, in the folder static
sharing        several pages that look at the same share one look
"""
