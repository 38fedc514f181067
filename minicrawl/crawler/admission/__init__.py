"""Which URLs may become known, and with how much cash.

admission   whether, asked of scope, ownership and traps
seeds       where a crawl starts
scope       which links are followed, and why not
host_pages  how many pages of some hosts are asked for
seen_types  which URLs probably are of the types that are wanted, by the pages read
focus       links that get more of a page's cash
traps       which URLs are pages that a server makes up without end: a folder
"""
