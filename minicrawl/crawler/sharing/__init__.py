"""Messages between the partitions of one crawl; unused in a crawl without partitions.

share    the partition's part of the web
mirrors  pages that another partition has, and the cash and links they gather for it
voices   numbers of sites here that link to a page of another partition
outbox   messages that the receiver has not committed yet; and counts of messages taken
"""
