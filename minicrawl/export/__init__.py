"""What a crawl found, written as files for other programs. (Its graph: `graphs.saving`.)

ranks   every page with its rank
report  a crawl as one HTML file
sitemap pages as a sitemap
atom    what has become of pages, for feed readers
texts   pages with their texts
markdown  texts as Markdown, a file a page
tables  rows as CSV, JSON lines or Parquet, and how any file of ours comes to be
"""
