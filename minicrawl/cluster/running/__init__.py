"""Running partitions.

partition  a partition while it crawls: its engine, the rows it sends and takes; settling together
post       messages between partitions on one machine
brief      the first message to a partition
member     a partition as its keeper knows it: its answers
worker     the process of one partition
processes  partitions in processes of this machine
balancing  partitions move when processes come or leave, or have too much to do
combined   coverage, site trust and status of all partitions, from those of each
hints      rel=canonical that names a dead page of another partition
quotas     pages each partition may fetch, so that the total is exactly --pages
shared_addresses  IP addresses shared by hosts of several partitions
keeper     starts all partitions, detects the end of the crawl, settles the ranking
steering   commands to a crawl in partitions, forwarded to the partitions concerned
"""
