"""What a crawl found, written as files for other programs.

ranks   every page with its rank          graph   the links, in the formats of graph programs
tables  rows as CSV, JSON lines or Parquet, and how any file of ours comes to be
"""
