"""Search: an index of the kept texts beside the store, and queries of it.

index           the index, and keeping it up to date: a folder
query           parsing a query
matching        the pages that have the words of a query, by BM25, and their snippets
searching       one search: matching pages by agreement and importance
partitions      a search of a store, file or folder: what partitions find is merged
"""
