"""What another shell may ask of a crawl: over a socket of the one that runs, or of the store where none does.

messages       what goes over the line: a JSON object a line, both ways
socket_files   where the socket of a crawl is
commands       what may be asked, and what comes of it
resting_crawl  a crawl that nobody runs, changed in its store
listening      a running crawl that listens
asking         whoever asks
assignments    settings written as NAME=VALUE
"""
