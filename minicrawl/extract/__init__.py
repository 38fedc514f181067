"""Items from pages: fields by selectors, structured data, and the user's own functions.

document    a page for selectors, and for hooks
selectors   fields by CSS or XPath, the item of a page, and checks of extraction settings
structured  JSON-LD, microdata, OpenGraph, and one view across them
hooks       functions of the user that a crawl calls
item_file   the file of items, written with the crawl's commits
"""
