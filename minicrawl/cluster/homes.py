"""The home of a URL: one partition for all URLs of a site, so that most links stay within a partition.

site   a registrable domain, or a user's part of a shared one, see crawler/urls/keys.py
home   the partition of a URL

    home = keyed hash of the site, modulo the number of partitions

The number of partitions is fixed when a crawl begins. Without the key nobody can construct hosts that share a home.
"""

from dataclasses import dataclass
from functools import lru_cache

from minicrawl.crawler.sharing import Share
from minicrawl.crawler.urls.keys import authority, hostname, partition_key
from minicrawl.store.partitions.folder import Folder


@dataclass(frozen=True)
class Homes:
    """secret: up to 64 bytes, the same for all partitions of a crawl."""

    partitions: int
    secret: bytes

    @classmethod
    def of(cls, folder: Folder) -> "Homes":
        """Those of the crawl in a folder."""
        return cls(folder.partitions, folder.secret)

    def home_of(self, url: str) -> int:
        """The partition of a normalised URL, from 0 on; independent of scheme and port."""
        return partition_key(hostname(url).removesuffix("."), self.secret) % self.partitions

    def share(self, here: int) -> Share:
        """The part of the web that belongs to partition `here`."""
        by_authority = lru_cache(maxsize=100_000)(lambda found: self.home_of(f"http://{found}/"))
        return Share(here, lambda url: by_authority(authority(url)))
