"""The web as this crawl knows it, and how more of it becomes known.

known_urls   which page a URL is
known_pages  what came of the last turn of a page, and what the page links to
known_hosts  the hosts by name
known_sites  the sites, how much they trust each other, and their doors
crawl_state  books, frontier, hosts, pages and URLs, as a crawl begins with them
loading      what the store holds, taken over
discovery    URLs that become pages
batch        what the next commit writes of the turns of pages
saving       what the next commit writes of the accounts; what a part of the crawl does to be saved
ranking      virtual visits along the links that the store holds; births by the trust of sites
expectation  expected importance of the pages known so far
tally        what a run counts
"""
