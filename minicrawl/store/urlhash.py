"""The keyed 64-bit hash under which the store finds a URL.

Keyed with a secret of the store, so that nobody can write a site whose URLs all collide; still, every hit is
compared in full.
"""

from hashlib import blake2b


def url_hash(url: str, key: bytes) -> int:
    """A signed 64-bit integer, as SQLite keeps them."""
    return int.from_bytes(blake2b(url.encode(), digest_size=8, key=key).digest(), "big", signed=True)
