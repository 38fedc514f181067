"""The read side of a store, a file a subject. `minicrawl.store.reader.Store` puts them together.

tables      queries, and rows as named tuples              soundness   what is wrong with the file
page_table  what is kept of a page, by its number          link_table  outlinks, and links that are not followed
ranks       pages by importance and other rankings         hosts       hosts, robots.txt files, domains
sitemaps    sitemaps, and URLs that wait in them           patterns    what the trap defence has learned
refreshes   when pages are fetched again, and what has changed of them
expected    expected importance, and what it rests on
site_table  sites, their doors, and links from other sites
anticipated what is known for the order by anticipated cash
recognised  what pages are recognised by: fingerprints, soft 404s, session parameters, alternates
"""
