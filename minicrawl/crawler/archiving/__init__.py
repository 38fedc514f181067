"""Archiving a crawl (minicrawl/archive).

capture   records of exchanges, made in the process that fetches
records   the files of an archive, and the rows that name the answers in them
replayed  an archive in place of the network
"""
