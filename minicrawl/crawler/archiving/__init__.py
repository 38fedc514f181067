"""What a crawl keeps in its archive (minicrawl/archive).

capture   what of an exchange is kept, in the process that fetches
records   the files of an archive, and the rows that name the answers in them
replayed  an archive in place of the network
"""
