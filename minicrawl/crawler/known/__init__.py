"""The web as this crawl knows it, and how more of it becomes known.

known_urls   which page a URL is
known_pages  what came of the last turn of a page, and what the page links to
known_hosts  the hosts by name
known_sites  the sites, how much they trust each other, and their doors
known_web    these, the books and the frontier, as a crawl begins with them
loading      what the store holds, taken over
discovery    URLs that become pages
batch        what the next commit writes of the turns of pages
saving       what the next commit writes of the accounts; what a part of the crawl does to be saved
settling     virtual visits along the links that the store holds
expectation  expected importance of the pages known so far
expecting    when it is worked out
tally        what a run counts
"""
