"""Sitemaps: the URLs that a host itself lists.

reading  bytes in, URLs out: of XML, or of lines of text
queue    the next sitemap to ask for, and the rate at which listed URLs become known
"""
