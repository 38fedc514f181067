"""One crawl in several partitions: each has a part of the web, its own store and its share of the cash.

homes      which partition a URL belongs to
new_store  the empty store of a partition
taking     what other partitions have handed over, taken into the accounts here, exactly once
partition  a partition that runs: its engine, what it sends and takes; settling together
audit      what all stores promise together

What a partition gathers for others is the crawl's own business: see crawler/sharing/.
"""
