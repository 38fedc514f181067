"""What is told of a crawl in partitions as of one crawl, by the parts that tell it of one store.

verification  the ranking of all against exact PageRank of all links
explanation   everything known of one URL, wherever it is at home
search        pages found in the indexes of all, by scores that can be compared
status        what a crawl does or did, added up over its partitions
course        how it has gone on

folder_readings  all that the dashboard shows of a crawl in partitions
"""
