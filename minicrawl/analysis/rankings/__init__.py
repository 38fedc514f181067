"""Rankings of pages by their links, by methods other than the crawl's, and by visits (`minicrawl rank`).

options           options and outcome of a ranking; pages, jumps and weights that a user names
ranking           a ranking by its name; topics, trust   pagerank_ranking  PageRank by any method
hub_ranking       HITS, communities, links weighed by a query
visit_ranking     visits in access logs
comparison        several rankings, and how far they agree
"""
