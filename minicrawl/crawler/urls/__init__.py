"""URLs: one spelling for each page, and the keys that pages share.

    >>> normalise("HTTP://Example.org/a/../b#c")
    'http://example.org/b'

normalise   parse, resolve and normalise; rules that users write for single hosts
keys        host, politeness key, origin, site, owner, partition of a URL
parameters  tracking and session parameters, which are stripped (parameters.txt)
groups      pages that are likely to link alike: by owner, host and folder
"""

from minicrawl.crawler.urls.normalise import normalise

__all__ = ["normalise"]
