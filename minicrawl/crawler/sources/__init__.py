"""Sources of parsed pages: each fetches and parses, in this process or in others.

source        the interface of all sources
local         the source in this process, and the specification from which one is made
page_reading  all that is read from the bytes of a page; large pages are parsed in a child process
hooked        calls the user's hooks in a child process
with_cookies  adds cookies to the requests of a source
workers       the source with worker processes, and the change from one number of workers to another
line          messages between the crawl and a worker
worker        a worker process
"""
