"""What a crawl says, in typed answers: what its store holds, and what its links say by the algorithms of `rank`.

explain    why a URL is in the state it is in    status    what a crawl is doing, or has done
folded_aliases  the stored links as a graph, aliases folded into the pages they stand for
refresh    how fresh the pages are, and when one of them is fetched again
top        what top shows: which pages, each once, and who links to them
rankings   pages ranked by their links in other ways
compare    how two rankings differ
page_text  what a page said when it was read last
verify     the crawl's own ranking against the exact one
held_out   sites without the rest of the web, and what it links to of each
owner      what the owner of a site asks
web_graph  the web that graph stats are of   growth    how far apart its pages were while it was crawled
sites      hosts, registrable domains and owners  page_jump  where the importance of a page comes from
planning   what a crawl would do, before it does
seed_repair  seeds of an old crawl on a newer one
seeding    seeds for a next crawl               archives  the archive of a crawl, as its store knows it
"""
