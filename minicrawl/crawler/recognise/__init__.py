"""Duplicate pages, soft 404s, session URLs.

duplicates  the leader of each group of duplicate pages and its kind; canonical URLs that are refuted
changes     changes of a page, told from noise; when it may be requested on condition that it has changed
sessions    parameters that identify a session
soft404     hosts that answer for missing pages with status 200: probes, their answers, the pages like them
"""
