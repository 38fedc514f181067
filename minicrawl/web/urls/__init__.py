"""URLs: one spelling for each page, and the keys that pages share.

    >>> normalise("HTTP://Example.org/a/../b#c")
    'http://example.org/b'

normalise  parse, resolve and normalise; tracking and session parameters, which are stripped (parameters.txt)
front      front pages of hosts and folders
spellings  other names of a page
shapes     what URLs that one program answers have in common; URLs without a parameter
keys       host, politeness key, origin, site, partition of a URL; the public suffix list
"""

from minicrawl.web.urls.normalise import normalise

__all__ = ["normalise"]
