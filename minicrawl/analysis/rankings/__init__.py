"""Pages of a store ranked by the links between them, in other ways than the crawl's: what `minicrawl rank` prints.

options    what may be said of how       ranking      a ranking by its name
found      what a ranking comes to       page_sets    the pages that a user names
pagerank_ranking  by any method          on_disk      in little memory, and what that moves
jumps      where walkers jump to         topic_ranking  from the pages of topics on
judged     trust by a person's judgement
hub_ranking  hubs, authorities, communities          words_near_links  how much a link says of a query
"""
