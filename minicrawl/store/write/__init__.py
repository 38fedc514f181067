"""The write side of the store, a file a subject.

page_rows    pages and their turns
cookie_rows  cookies of hosts
transfer_rows  mirrors, the outbox, and neighbours of a partition
"""
