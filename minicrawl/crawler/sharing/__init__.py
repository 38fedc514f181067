"""What the partitions of one crawl hand over to one another; none of it is used where a crawl has no partitions.

share    which part of the web is this partition's
mirrors  pages that another partition has, and what they have gathered for it
voices   how many sites of other partitions link to a page: what its home is told of that
outbox   what has left the accounts here until its home has committed it; and which rows of others were taken
"""
