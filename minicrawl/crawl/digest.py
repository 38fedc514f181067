"""Whether two pages of a host say the same."""

import hashlib

_QUOTES = (b'"', b"'")


def digest_of(body: bytes, url: str) -> int:
    """64 bits, signed, of what the HTML body at a normalised URL says.

    The targets of its links are left out, and its own path: they hold session ids, dates, and what was asked for in
    vain. The site's origin is in it: what two of them say alike is no duplicate.
    """
    *origin, path = url.split("/", 3)
    if path:
        body = body.replace(path.encode(), b"")
    first, *links = body.split(b"href=")
    # What follows "href=" from the closing quote on, or all of it where there are no quotes.
    rests = [link[max(link.find(link[:1], 1), 0) :] if link[:1] in _QUOTES else link for link in links]
    digest = hashlib.blake2b(b"".join([first, *rests]), digest_size=8, key="/".join(origin).encode()[:64])
    return int.from_bytes(digest.digest(), "little", signed=True)
