"""When pages have changed as their servers say, and how far that is believed.

Two dates say so: Last-Modified of an answer, and lastmod of a page in its sitemap. Many servers make them up: the time
of the request, the time at which the sitemap was written. So each is believed of a host only while it has proved true,
fetch by fetch, by the blocks of text that have changed or not; and no date is believed that is in the future.

belief   rises by 1 with every date that has proved true, up to 8, and falls by 2 with every one that has not: a host
         whose dates are wrong more often than once in three times is not believed for long
"""

BELIEVED = 3
"""From this belief on a date counts."""
_MOST = 8
_LOSS = 2


def after_proof(belief: int, *, is_true: bool) -> int:
    """The belief in a host's dates after one of them has proved true, or wrong."""
    return min(belief + 1, _MOST) if is_true else max(belief - _LOSS, 0)
