"""Search: an index of the kept texts beside the store, and queries of it.

A text travels  store -> index,  a query  query -> candidates -> ranking -> searching -> snippets.

index           the index, and keeping it up to date: a folder
query           parsing a query
candidates      the pages that may answer a query, and what the index says of each
ranking         agreement with a query, and the ranking beside it: importance, HITS near the pages found, topics
snippets        the part of a text that shows the words of the query
searching       one search
partitions      a search of a store, file or folder: what partitions find is merged
searched_store  the read side of a store, with its index
"""
