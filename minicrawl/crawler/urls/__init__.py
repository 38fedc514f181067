"""What a URL is.

normal      parse, resolve, normalise, and what hosts, origins and sites are
parameters  parameters that say who follows a link: tracking and sessions (parameters.txt)
file_types  endings of paths that are never HTML
"""

from minicrawl.crawler.urls.normal import normalise

__all__ = ["normalise"]
