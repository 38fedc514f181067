"""The write side of the store, as far as it is a subject of its own.

page_rows    pages and their turns
cookie_rows  cookies of hosts
transfer_rows  what passes between partitions
tallies      how many pages are in which state
"""
