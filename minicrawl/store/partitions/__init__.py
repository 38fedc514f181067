"""The stores of a crawl in partitions.

folder     cluster.json, and the files of the stores
united     a partition as a part of its crawl: its own pages, ranked among all
records    the messages between partitions, as arrays and as bytes
"""
