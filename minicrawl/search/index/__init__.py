"""The search index, built from the store.

words         the words of a text as the index has them
anchors       the anchor texts of links, by the page they lead to
short_barrel  titles, headings, anchor texts and URLs of pages
index_file    the index's file, and errors in it
following     bringing the index up to date with the store
beside_crawl  the process that does so during a crawl
"""
