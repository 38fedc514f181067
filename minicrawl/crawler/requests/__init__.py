"""The kinds of request, a file each. A new kind is a Request, and a Kind in crawler/due_requests.py.

request       the protocol of every kind
robots        robots.txt files, what they share with other files of origins, refusals for uses that are respected
sitemap       sitemaps, and making their URLs known
sitemap_queue the queue of sitemaps to ask for, and when their URLs become known
outage_watch  outages on our own side: silent requests, and checks
"""
