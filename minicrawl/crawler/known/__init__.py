"""The crawl's knowledge of the web, and its growth.

known_urls   page numbers by URL
known_pages  results of the last turns of pages, and their links
known_hosts  the hosts by name
known_sites  the sites, their trust and their doors
interests    how much more the user wants each page than others
crawl_state  book, frontier, hosts, pages and URLs, as a crawl begins with them
loading      the store's contents, taken over into memory
discovery    URLs that become pages
batch        rows of turns for the next commit
saving       rows of accounts for the next commit; the interface of parts that are saved
ranking      virtual visits along stored links; births by the trust of sites
"""
