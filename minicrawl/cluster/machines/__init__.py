"""Partitions on several machines: nodes of a Ray cluster that the user runs.

hosted  a partition on another machine: its actor, its proxy in the keeper, and the post between actors
ray     the nodes, and actors on them: the only module that imports ray

A crawl on one machine needs none of these.
"""
