"""Render pages that scripts make, in the user's Chromium.

renderer       a fetched page goes in, a rendered one comes out
chromium       the browser: found, started, restarted, limited; takes screenshots. Imports playwright
page_requests  answers the requests of a page's scripts: by our own fetcher, cached, at a polite pace
"""
