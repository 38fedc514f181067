"""What a crawl found, written as files for other programs. (Its graph: `graphs.saving`.)

ranks   every page with its rank
tables  rows as CSV, JSON lines or Parquet, and how any file of ours comes to be
"""
