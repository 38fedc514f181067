"""Files for other programs. (Its graph: `graphs.graph_files`.)

atom             changes of pages, for feed readers
markdown_folder  a folder of Markdown files, one a page
tables           rows as CSV, JSON lines or Parquet, every page with its rank; the atomic writing of all files
"""
