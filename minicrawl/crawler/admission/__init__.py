"""Which URLs may become known, and with how much cash.

admission   whether, asked of scope, ownership and traps
seeds       where a crawl starts
scope       which links are followed, and why not
host_pages  how many pages of some hosts are asked for
focus       links that get more of a page's cash
traps       which URLs are pages that a server makes up without end: a folder
"""
