"""A folder of partitions, read as one store.

folder_store  the folder as a Store: the readers of hosts, sites, sitemaps and texts, and `meta`, over all partitions
pages         the readers of pages and links over all partitions
numbers       numbers of pages and hosts over all partitions
united        a partition as a part of its crawl: its own pages, ranked among all
folder        cluster.json, and the files of the stores
remote        stores on other machines: queries go there, rows come back
order         pages of all partitions in one order
agreement     stores restored from different backups, detected by message numbers
records       the messages between partitions, as arrays and as bytes
"""
