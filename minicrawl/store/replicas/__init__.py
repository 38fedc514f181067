"""Replicas of a store: its file and its write-ahead log, copied byte by byte and kept up to date with every commit.

log_file   the frames of SQLite's write-ahead log, up to the last commit
sending    the parts of a store's files that a replica lacks
receiving  a replica: takes parts, and takes the store's place

Nothing here sends: whoever has a line between the two brings the parts, in order.
"""
