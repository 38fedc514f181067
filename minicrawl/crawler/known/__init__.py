"""The crawl's knowledge of the web, and its growth.

known_pages  pages by URL, hosts by name, results of the last turns of pages, and their links
known_sites  the sites, their trust and their doors
crawl_state  book, frontier, hosts, pages and URLs, as a crawl begins with them
loading      the store's contents, taken over into memory
discovery    URLs that become pages, and how much more the user wants each
batch        rows of turns for the next commit
saving       rows of accounts for the next commit; the interface of parts that are saved
ranking      virtual visits along stored links; births by the trust of sites
"""
