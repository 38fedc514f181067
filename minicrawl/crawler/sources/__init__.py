"""Sources of parsed pages: each fetches and parses, in this process or in others.

source        the interface of all sources
local         the source in this process, the specification from which one is made, and what parts add to it
page_reading  all that is read from the bytes of a page; large pages are parsed in a child process
hooked        calls the user's hooks in a child process
workers       the source with worker processes, messages to them, and the change of their number
worker        a worker process
"""
