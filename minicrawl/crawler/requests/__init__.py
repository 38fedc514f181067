"""The kinds of request, a file each. A new kind is a Request, and a Kind in the list in crawler/request_kinds.py.

request       the protocol of every kind, and the end of a host's turn
due           the next request, and those that must come before it
page          pages, and probes of pages that cannot exist
robots        robots.txt files, and what they share with other files of origins
usage         refusals for uses that the crawl respects
sitemap       sitemaps, and making their URLs known
requisite     files that archived pages need to look as they do
outage_watch  requests without an answer, and checks for a network outage
"""
