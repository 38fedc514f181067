"""What users take out of pages: fields by selectors, and whatever functions of their own find.

selectors  fields of an item, by CSS or XPath
item_rules items of pages whose URL matches, and of parts of these
document   a page as selectors look at it
page       a page as hooks see it
hooks      functions of the user that a crawl calls
structured what a page says about itself for machines: JSON-LD, OpenGraph
microdata  the same in its elements
gathering  all of these on one page
asking     whether what is asked for can be had
item_file  the file that items are written to, with the crawl's commits
"""
