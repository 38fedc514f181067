"""The store: one SQLite file, or a folder with one for each partition of a crawl.

schema.sql   every table and column                     database       opening the file, and what can be wrong with it
upgrade      older versions brought up to date          rows           rows as named tuples
read         the read side, a file a subject            reader         the read side in one object
write        the write side, as far as it is cut        writer         the write side in one object
select       which pages a user selects                partitions     a folder of partitions as one store
links        outlinks as bytes                          urlhash        the hash under which a URL is found
file_column  a number per page on disk                  spill          arrays on disk
texts        what pages say, in a file beside
archived     what the archive holds: its files, and the answers in them
upkeep       backup and compact                         damaged_store  what can still be read of a damaged store
"""
