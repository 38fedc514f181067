"""The keyed hash under which the store finds a URL.

Keyed with a secret of the store, so that nobody can write a site whose URLs all collide. Every hit is compared in
full, so 32 bits do: among ten million URLs one look-up in 400 compares with a URL too many.
"""

from hashlib import blake2b

HASH_BYTES = 4
"""Of a new store; the first versions had 8."""


def url_hash(url: str, key: bytes, size: int) -> int:
    """A signed integer of `size` bytes, as SQLite keeps them."""
    return int.from_bytes(blake2b(url.encode(), digest_size=size, key=key).digest(), "big", signed=True)
