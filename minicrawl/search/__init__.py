"""Search: an index of the kept texts beside the store, and queries of it.

A text travels  store -> index,  a query  query -> matching -> searching -> snippets.

index           the index, and keeping it up to date: a folder
query           parsing a query; words that may have been meant
matching        similarity of pages to a query
ranking         the ranking beside similarity: importance, HITS near the pages found, PageRank for topics
snippets        the part of a text that shows the words of the query
searching       one search
partitions      a search of a store, file or folder: what partitions find is merged
searched_store  the read side of a store, with its index
"""
