"""What a crawl keeps in its archive (minicrawl/archive).

capture   what of an exchange is kept, in the process that fetches
records   what the next commit writes of that
top_share  which pages are important enough
replayed  an archive in place of the network
"""
