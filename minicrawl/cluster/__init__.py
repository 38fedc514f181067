"""One crawl in several partitions: each has a part of the web, its own store and its share of the cash.

homes      which partition a URL belongs to
new_store  the empty store of a partition
settings   settings that crawls in partitions support, and those of one partition
folder     where the stores are, and what they have in common
running    partitions that run: what they send and take, their processes
machines   several machines, which Ray lets call each other
moving     a partition taken to another folder; which to take where
backup     a copy of all of one moment, also while a crawl runs

What a partition gathers for others is the crawl's own business: see crawler/sharing/.
"""
