"""Partitions that run.

taking     what other partitions have handed over, taken into the accounts here, exactly once
partition  a partition that runs: its engine, what it sends and takes; settling together
post       messages between processes of one machine
worker     a process that has one partition
kept       a partition as its keeper reaches it, wherever it runs
processes  partitions in processes of this machine
covered    how much of all importance is read, by what each says
quotas     how many pages each may fetch, so that all together fetch exactly as many as they may
shared_addresses  who may ask which IP address
run_clock  the time of a run, which stands still while it is paused
trust_of_all  how the sites of all trust each other
keeper     starts all partitions, knows when nothing is left, lets them settle
steering   what others may ask of a keeper's crawl
added_up   what partitions say of themselves, as one crawl says it
"""
