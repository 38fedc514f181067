"""One crawl in several partitions on Ray: each has a part of the web, its own store and its share of the cash.

crawl     a run of such a crawl
ray       the machines, and actors on them: the only module that imports Ray

keeper    begins all partitions, detects the end of the crawl, settles the ranking
steering  commands to a crawl in partitions, forwarded to the partitions concerned
combined  coverage, site trust, looks and progress of all partitions, from those of each
quotas    pages each partition may fetch, so that the total is exactly --pages
shared_addresses  IP addresses shared by hosts of several partitions

actor      the actor of some partitions, and the rows that it sends to others
partition  a partition: its engine, the rows it sends, and what its keeper asks of it
exchange   which partition a URL belongs to; rows taken, births shared out, hints voided, the end settled

answers    what a crawl in partitions tells by itself, from the answers of its stores

Rows for other partitions are gathered by the crawl itself: see crawler/sharing.py.
"""
