"""Finding pages by words: an index beside the store, and searches in it.

A text travels  store -> index,  a query  query -> matching -> searching -> snippets.

index/        the index, and how it is made
query         what somebody searches for                  matching        how well pages agree with it
stems         words as the index has them                 neighbourhood   HITS near pages that agree
page_facts    what the store knows of pages now           ranking         importance beside agreement
spelling      words that may have been meant              snippets        the part of a text that shows why
topics        PageRank for the topics of a query          searching       the search
searched_store  a store that can be searched
"""
