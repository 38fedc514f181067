"""Partitions on several machines, which Ray places, starts again and lets call each other.

machine   this machine as one of them: started, known again by a file, stopped
host      what has a partition there, and is called
hosted    a partition as its keeper reaches it by calls, and the post by calls
reading   stores of other machines, read by calls
carrier   what copies the stores of a machine, and takes in copies
carrying  backups of stores of several machines, and moves between them
ray       the machines, and who is called there: the only module that imports ray

Nothing here is needed for a crawl on one machine.
"""
