"""Files for other programs. (Its graph: `graphs.saving`.)

atom    changes of pages, for feed readers
markdown  kept texts as Markdown, a file a page
tables  rows as CSV, JSON lines or Parquet, every page with its rank; the atomic writing of all files
"""
