"""Structured data of a page, each syntax as its specification reads it.

bounded_page  a page's URLs and texts, with limits for all readers together
json_ld, microdata, meta   a syntax each; meta: OpenGraph
syntaxes      all of these
"""
