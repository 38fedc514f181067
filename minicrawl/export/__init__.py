"""What a crawl found, written as files for other programs. (Its graph: `graphs.saving`.)

ranks   every page with its rank
atom    what has become of pages, for feed readers
tables  rows as CSV, JSON lines or Parquet, and how any file of ours comes to be
"""
