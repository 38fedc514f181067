"""The turn of a page.

visit       the turn of a page, step by step; its counted links; its request, probes in its place, and witnesses
turn        an answer for a page, as it passes from step to step; links that only --max-depth keeps out
step        what a crawl does beside its visits: the interface, and the list of steps that are on
aliases     pages that stand for others
host_pages  the pages of a host, as its judge sees them
host_judge  decides by a witness, a page that is known to be well, whether a host is ill or its pages are broken
"""
