"""One crawl in several partitions: each has a part of the web, its own store and its share of the cash.

homes      which partition a URL belongs to
new_store  the empty store of a partition
settings   settings that crawls in partitions support, and those of one partition
folder     where the stores are, and what they have in common
running    partitions that run: what they send and take, their processes
machines   several machines, which Ray lets call each other
merged     all stores read as one
reading    what is told of all of them as of one crawl
agreement  whether stores are those of one moment
moving     a partition taken to another folder; which to take where
backup     a copy of all of one moment, also while a crawl runs
audit      what all stores promise together

What a partition gathers for others is the crawl's own business: see crawler/sharing/.
"""
