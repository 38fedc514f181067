"""Search: an index of the kept texts beside the store, and queries of it.

words         the words of a text, and what a search takes for the same word
inverted      the inverted index, which has a document a page
index_folder  the index's folder, and errors in it
following     bringing the index up to date with the store, also beside a crawl
searching     a query, the pages of a store that have its words, by agreement and importance, and their snippets
"""
