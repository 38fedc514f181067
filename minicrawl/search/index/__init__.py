"""The search index, built from the store.

words         the words of a text as the index has them
inverted      the inverted index: words and the documents that have them
anchors       the anchor texts of links, by the page they lead to
heads         what pages are called: titles, headings, anchor texts and URLs
index_folder  the index's folder, and errors in it
following     bringing the index up to date with the store
beside_crawl  the process that does so during a crawl
"""
