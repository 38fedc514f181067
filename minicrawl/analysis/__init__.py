"""Typed answers about a crawl, from its store, for commands, JSON and the dashboard.

status          what a crawl does or has done            explain          everything known of one URL (`why`)
top             the lists of `top`                       rankings         pages ranked by other methods (`rank`)
sites           sites and hosts with their importance    site_grades      sites worth an archive
link_graph      the stored links as a graph, aliases folded into the pages that they stand for
audit           the stores of a crawl, each by itself and all together
verify          the crawl's own ranking against exact PageRank
compare         differences of two rankings              web_graph        the graph of `graph stats`
importance_sources  what jumps and links contribute to the importance of a page
page_links      links with their pages (`links`)         page_filter      pages by state, status, site, expression
page_columns    further columns of pages, sitemaps       page_text        the kept text of a page
copies          copies of a page                         site_report      contents of `report`
refresh_times   freshness, due times                     archives         the archive of a store
seeding         seeds for a next crawl                   seed_repair      seeds of an old crawl on a newer one
seed_check      whether seeds are there                  dry_run          what a crawl would request
isolated_sites  sites without the links between them (`lab surfer`)
"""
