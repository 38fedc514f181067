"""Where parsed pages come from.

source       what a crawl asks for pages: the protocol
local        pages that are fetched and parsed in this process
brief        what whoever fetches and parses is to know
workers      pages that are fetched and parsed in worker processes
changing_source  the source of now, replaced while the crawl runs
worker       one worker process
page_reading all that is read in the bytes of a page
gathered     what users take out of a page by selectors
hooked       what hooks make of a page, in a process of their own
with_cookies  the cookies of a request, and of its answer
large_pages  pages that take long to parse, in a process of their own
"""
