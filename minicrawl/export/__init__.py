"""Files for other programs. (Its graph: `graphs.saving`.)

ranks   every page with its rank
report_file  a report as one HTML file
sitemap pages as a sitemap
atom    what has become of pages, for feed readers
markdown  kept texts as Markdown, a file a page, or as a table
tables  rows as CSV, JSON lines or Parquet, and how any file of ours comes to be
"""
