"""Render pages that scripts make, in the user's Chromium.

chromium       a fetched page goes in, a rendered one comes out; the browser, found, started, restarted, limited
tab            opens pages of an origin one after another, and is emptied between them
screenshots    what a page looks like
choice         which pages are rendered
comparison     what scripts add to a page
page_requests  answers the requests of a page's scripts: by our own fetcher, cached, at a polite pace
"""
