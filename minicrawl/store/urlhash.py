"""The keyed hash under which the store finds a URL.

Its first 16 bits hash the origin, the other 32 the URL. So the hashes of a host are adjacent, as are those of most
links of a page, known or new: a look-up or a commit touches few pages of the file.

Keyed with a secret of the store, so that nobody can write a site whose URLs all collide. Every hit is compared in full,
so 48 bits suffice: among ten million URLs of one host, one look-up in 400 compares one URL too many.
"""

from functools import lru_cache
from hashlib import blake2b


def url_hash(url: str, key: bytes) -> int:
    """The hash of a URL as a signed integer of 48 bits, which SQLite keeps in 6 bytes."""
    of_url = blake2b(url.encode(), digest_size=4, key=key).digest()
    return int.from_bytes(_of_origin(url[: url.find("/", 8)], key) + of_url, "big", signed=True)


@lru_cache(maxsize=10_000)
def _of_origin(origin: str, key: bytes) -> bytes:
    return blake2b(origin.encode(), digest_size=2, key=key).digest()
