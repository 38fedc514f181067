"""The kinds of request, a file each. A new kind is a Request, and a Kind in `requests_of`, crawler/intake.py.

request       the protocol of every kind, and the end of a host's turn
due           the next request, and those that must come before it
robots        robots.txt files, what they share with other files of origins, refusals for uses that are respected
sitemap       sitemaps, and making their URLs known
outage_watch  requests without an answer, and checks for a network outage
"""
