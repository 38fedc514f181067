"""What sitemaps list.

reading  bytes in, URLs out
queue    which sitemap is asked for next, and which of its URLs become known when
"""
