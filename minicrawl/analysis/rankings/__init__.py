"""Pages of a store ranked by the links between them, in other ways than the crawl's: what `minicrawl rank` prints.

options    what may be said of how       ranking      a ranking by its name
page_sets  the pages that a user names   hub_ranking  hubs, authorities, communities
words_near_links  how much a link says of a query
"""
