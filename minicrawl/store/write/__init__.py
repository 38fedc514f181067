"""The write side of the store, as far as it is a subject of its own.

page_rows    pages and their turns
page_blocks  columns of many pages as one blob, and which of them still hold
cookie_rows  cookies of hosts
transfer_rows  what passes between partitions
tallies      how many pages are in which state
"""
