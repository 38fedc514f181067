"""The home of a URL: one partition for all URLs of a site, so that most links stay within a partition.

site   a registrable domain, or a user's part of a shared one, see crawler/urls/keys.py
home   the partition of a URL

    home = keyed hash of the site, modulo the number of partitions

The number of partitions is fixed when a crawl begins. Without the key nobody can construct hosts that share a home.
"""

from functools import lru_cache

from minicrawl.crawler.sharing import Share
from minicrawl.crawler.urls.keys import authority, hostname, partition_key
from minicrawl.store.partitions.folder import Folder


def home_of(url: str, folder: Folder) -> int:
    """The partition of a normalised URL, from 0 on; independent of scheme and port."""
    return partition_key(hostname(url).removesuffix("."), folder.secret) % folder.partitions


def share_of(here: int, folder: Folder) -> Share:
    """The part of the web that belongs to partition `here`."""
    by_authority = lru_cache(maxsize=100_000)(lambda found: home_of(f"http://{found}/", folder))
    return Share(here, lambda url: by_authority(authority(url)))
