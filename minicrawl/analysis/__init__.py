"""Typed results about a crawl, from its store, for commands, JSON and the dashboard.

status          state of a crawl                         explain          everything known of one URL (`why`)
top             the lists of `top`                       rankings         pages ranked by other methods (`rank`)
sites           sites and hosts with their importance    site_grades      sites graded for archiving
link_graph      the stored links as a graph, aliases merged into their target pages
numbered_sites  the sites or hosts of pages              rankable         errors of stores that cannot be ranked
consistency     consistency of a crawl's stores, each and all together
verify          the crawl's own ranking against exact PageRank
web_graph       the graph of `graph stats`
importance_sources  what jumps and links contribute to the importance of a page
page_links      links with their pages (`links`)         page_filter      pages by state, status, site, expression
page_text        the kept text of a page
copies          pages that carry the text of a document  mirrors          hosts that mirror others
corpus          pages with their content, a row each    usage            preferences on the use of pages
page_changes    changes of a page, and the differences of its text
archived_page   archived answers of a page, read again
refresh_times   due times                                archives         the archive of a store
seeding         seeds for a next crawl                   dry_run          requests that a crawl would make
"""
