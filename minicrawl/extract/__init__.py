"""Items from pages: fields by selectors, structured data, and the user's own functions.

document    a page for selectors, and for hooks
selectors   fields by CSS or XPath
structured  JSON-LD, microdata, OpenGraph and others, and one view across them
gathering   all of these on one page
hooks       functions of the user that a crawl calls
checks      refuse invalid extraction settings
item_file   the file of items, written with the crawl's commits
"""
