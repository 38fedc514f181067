"""The search index, built from the store.

words         the words of a text, stemmed by language
inverted      the inverted index, which has a document a page
index_folder  the index's folder, and errors in it
following     bringing the index up to date with the store
beside_crawl  the process that does so during a crawl
"""
