"""One crawl in several partitions: each has a part of the web, its own store and its share of the cash.

homes      which partition a URL belongs to
new_store  the empty store of a partition
taking     what other partitions have handed over, taken into the accounts here, exactly once
partition  a partition that runs: its engine, what it sends and takes; settling together
working    which settings work in partitions
folder     where the stores are, and what they have in common
post       messages between processes of one machine
worker     a process that has one partition
keeper     starts the processes, knows when nothing is left, lets them settle
merged     all stores read as one
audit      what all stores promise together

What a partition gathers for others is the crawl's own business: see crawler/sharing/.
"""
