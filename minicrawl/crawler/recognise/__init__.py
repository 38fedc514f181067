"""Duplicate pages, soft 404s, session URLs.

duplicates  the leader of each group of duplicate pages and its kind; canonical URLs that are refuted
changes     changes of a page, told from noise; when it may be requested on condition that it has changed
sessions    parameters that identify a session
not_found   an origin's answers for missing pages, and the pages like them
soft404     probes of hosts that answer for missing pages with status 200
"""
