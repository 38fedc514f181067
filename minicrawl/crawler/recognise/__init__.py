"""Duplicate pages, soft 404s, changed pages.

duplicates  the leader of each group of duplicate pages and its kind; canonical URLs that are refuted
changes     changes of a page that is fetched again
validators  when a page may be requested on condition that it has changed
soft404     hosts that answer for missing pages with status 200: probes, their answers, the pages like them
looks       answers of a host that look alike: walls, maintenance pages, logins
"""
