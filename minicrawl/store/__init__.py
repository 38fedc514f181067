"""The store: one SQLite file.

database  opening it, and what can be wrong with it        schema.sql  every table and column
reader    the read side                                    writer      the one writer
rows      the rows of a commit                             upgrade     older versions brought up to date
links     outlinks as bytes                                urlhash     the hash under which a URL is found
column    a number per page on disk                        spill       arrays on disk
upkeep    backup and compact                               wreck       what a damaged store still says
"""
