"""What is asked for beside pages, a file a kind.

robots    robots.txt, and what it redirects to
sitemap   sitemaps, and what they list made known
liveness  whether anybody answers
"""
