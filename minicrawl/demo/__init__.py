"""The demo web: generated from a seed, served on this machine, its exact ranks known.

web        the answer of every URL, the true importance of every page; the server; the quality of a crawl
weaving    hosts, pages and links, drawn from a seed
resources  pages, redirects and files, and pages as HTML; their words; pages made up when asked for
"""
