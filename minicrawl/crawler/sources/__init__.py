"""Where parsed pages come from.

source       fetched and parsed in this process, or in worker processes
worker       a worker process
large_pages  pages that take long to parse, in a process of their own
"""
