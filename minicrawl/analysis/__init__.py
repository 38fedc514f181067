"""Typed results about a crawl, from its store, for commands, JSON and the dashboard.

status          state of a crawl                         explain          everything known of one URL (`why`)
top             the lists of `top`, and their filter     rankings         pages ranked by other methods (`rank`)
sites           sites and hosts with their importance, mirrors
link_graph      the stored links as a graph, aliases merged into their target pages
verify          the crawl's own ranking against exact PageRank
why_facts       due times of a page, and what jumps and links contribute to its importance
why_words       the lines of `why`                       host_words       hosts that are ill, in words
page_links      links with their pages (`links`)         page_text        the kept text of a page, and a corpus
copies          pages that carry the text of a document  usage            preferences on the use of pages
same_content    pages with one content, for the corpus
page_changes    changes of a page, and the differences of its text
seeding         seeds for a next crawl                   archives         the archive of a store
archive_needs   files that archived pages need, and the archive lacks
dry_run         requests that a crawl would make
"""
