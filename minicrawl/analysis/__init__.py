"""What a crawl's links say: a store, joined with the pure algorithms of `rank`.

folded     the stored links as a graph, aliases folded into the pages they stand for
verify     the crawl's own ranking against the exact one
web_graph  the web that graph stats are of   sites     hosts and registrable domains
seeding    seeds for a next crawl
"""
