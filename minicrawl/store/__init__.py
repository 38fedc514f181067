"""The store: one SQLite file, or a folder with one for each partition of a crawl.

schema.sql   every table and column                     database       opening the file, and its errors
rows         rows as named tuples
read         the read side, a file a subject            reader         the read side in one object
write        the write side, a file a subject           writer         the write side in one object
select       pages selected by a user                  partitions     a folder of partitions as one store
links        outlinks as bytes                          urlhash        the hash under which a URL is found
file_column  a number per page on disk                  spill          arrays on disk
texts        texts of pages, in a file beside
archived     the archive's index: its files, and the answers in them
replicas     copies kept up to date with every commit
upkeep       backup and compact                         damaged_store  salvage of a damaged store
"""
