"""What is kept of an answer: what came, and what its page says of itself."""

from minicrawl.crawler.html.robots_directives import Directives, read_directives
from minicrawl.model import AlternateLink, Fetched, ParsedPage
from minicrawl.store.rows import Fetch

_MOST_HREFLANG = 10_000
"""Characters that are kept of what a page gives as itself in other languages."""


def answer_row(fetched: Fetched, parsed: ParsedPage, now: float) -> Fetch | None:
    """The row of an answer that came at `now`; None if none came."""
    if fetched.status is None:
        return None
    named = parsed.canonical
    return Fetch(
        fetched.status,
        now,
        fetched.seconds,
        fetched.size,
        fetched.content_type,
        parsed.title,
        canonical="" if named == fetched.url else named,
        robots=_robots(Directives(parsed.follow, parsed.index, parsed.archive), fetched.robots_tag),
        hreflang=_hreflang(parsed.hreflang),
    )


def _robots(in_page: Directives, in_header: str | None) -> str | None:
    """What a page forbids robots, in its elements or in its header X-Robots-Tag."""
    says = in_page if in_header is None else in_page.and_(read_directives(in_header))
    allowed = {"noindex": says.index, "nofollow": says.follow, "noarchive": says.archive}
    return ", ".join(word for word, is_allowed in allowed.items() if not is_allowed) or None


def _hreflang(alternates: tuple[AlternateLink, ...]) -> str | None:
    """LANGUAGE=URL with spaces between, in the order of the page: neither has a space, and a language has no "="."""
    text = " ".join(f"{language}={url}" for language, url in alternates)
    if len(text) > _MOST_HREFLANG:
        text = text[: _MOST_HREFLANG + 1].rpartition(" ")[0]
    return text or None
