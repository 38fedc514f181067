"""What a URL is.

normalise   parse, resolve, normalise
keys        what URLs have in common: host, politeness key, origin, site, owner, partition
parameters  parameters that say who follows a link: tracking and sessions (parameters.txt)
groups      pages that are likely to link alike: owners, hosts, folders
host_rules  what users say of single hosts, by name
file_types  endings of paths that are never HTML
"""

from minicrawl.crawler.urls.normalise import normalise

__all__ = ["normalise"]
