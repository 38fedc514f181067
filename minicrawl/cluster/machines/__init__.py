"""Partitions on several machines: nodes of a Ray cluster that the user runs.

hosted    a partition on another machine: the actor that has it, its keeper's side, and the post between actors
carrying  backups of stores on several machines, and moves between them
ray       the nodes, and actors on them: the only module that imports ray

Nothing here is needed for a crawl on one machine.
"""
