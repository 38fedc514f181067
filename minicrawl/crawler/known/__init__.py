"""The crawl's knowledge of the web, and its growth.

known_pages  pages by URL, hosts by name, results of the last turns of pages, their links, the rows of these
known_sites  the sites, their trust and their doors
crawl_state  book, frontier, hosts, pages and URLs, loaded from the store
discovery    URLs that become pages, and how much more the user wants each
ranking      virtual visits along stored links; births by the trust of sites
"""
