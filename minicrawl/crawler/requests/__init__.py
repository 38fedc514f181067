"""What is asked for, a file a kind. A new kind is a Request, and a Kind in the list in crawler/request_kinds.py.

request       what every kind has in common
due           which request is next, and what must be known of its host before
page          pages
probe         pages that cannot exist
look_up       the address of a host
robots        robots.txt, and what it redirects to
sitemap       sitemaps, and what they list made known
liveness      whether anybody answers
outage_watch  what becomes of requests that nobody answered
host_turns    how the turns of hosts end
"""
