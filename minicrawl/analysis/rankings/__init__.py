"""Rankings of pages by their links, by methods other than the crawl's, and by visits (`minicrawl rank`).

options           options and outcome of a ranking       ranking        a ranking by its name
pagerank_ranking  PageRank by any method                 topic_ranking  topic-sensitive PageRank
hub_ranking       HITS, communities, links weighed by a query
page_sets         pages and jumps named by a user
site_weights      links weighed by the hosts or sites at their ends
visit_ranking     visits in access logs
"""
