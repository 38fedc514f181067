"""What sitemaps list.

reading    bytes in, URLs out
documents  the URLs that XML or lines of text list
queue      which sitemap is asked for next, and which of its URLs become known when
"""
