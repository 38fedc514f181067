"""Partitions that run.

partition  a partition while it crawls: its engine, the rows it sends and takes; settling together
post       messages between partitions on one machine
worker     the process of one partition
processes  partitions in processes of this machine
combined   coverage, site trust and status of all partitions, from those of each
quotas     the pages that each partition may fetch, so that all together fetch exactly --pages
shared_addresses  the partition that may ask an IP address
keeper     starts all partitions, sees when nothing is left, lets them settle
steering   commands to a crawl in partitions, passed on to those that they concern
"""
