"""What a page says, as the traps learn of it."""

from typing import NamedTuple


class PageContent(NamedTuple):
    """What a page says, in digests (fingerprint.py); None: it was read before, says nothing, or has no number.

    `is_not_found`: its host says the same of pages that do not exist. Then it says nothing about others of its pattern,
    unless it leads on.
    """

    digest: int | None
    wording: int | None = None
    is_not_found: bool = False


NO_CONTENT = PageContent(None)


class Novelty(NamedTuple):
    """`is_news`: no page of the host said before what a page says. Of the others of its pattern, as far as they were
    read, `is_little`: they mostly say nothing new, `says_one_thing`: all of them the same.
    """

    is_news: bool
    is_little: bool
    says_one_thing: bool
