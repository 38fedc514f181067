"""One crawl in several partitions: each has a part of the web, its own store and its share of the cash.

answers    what a folder tells by itself: its list, one URL, its state, data sets
homes      which partition a URL belongs to
new_store  the empty store of a partition
settings   settings that crawls in partitions support, and those of one partition
folder     the paths of the stores, and their common settings
running    running partitions: their processes, the rows they send and take
machines   several machines, connected by Ray
backup     a copy of all stores as of one moment, while no crawl runs

Rows for other partitions are gathered by the crawl itself: see crawler/sharing/.
"""
