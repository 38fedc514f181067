"""Partitions that run.

taking     what other partitions have handed over, taken into the accounts here, exactly once
partition  a partition that runs: its engine, what it sends and takes; settling together
post       messages between processes of one machine
worker     a process that has one partition
keeper     starts the processes, knows when nothing is left, lets them settle
"""
