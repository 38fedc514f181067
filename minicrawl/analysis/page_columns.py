"""Columns of pages beside those of the ranking, and the pages that a sitemap lists."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from itertools import islice

from minicrawl.analysis.top.order import Ranked
from minicrawl.analysis.usage import PageUsage
from minicrawl.crawler.robots.preferences import Preferences
from minicrawl.errors import SettingError
from minicrawl.store.read.page_table import PageFacts
from minicrawl.store.reader import Store
from minicrawl.store.rows import RankedPage
from minicrawl.store.texts.marked_text import KeptText

_AT_ONCE = 500
_OF_RANKS: dict[str, type] = dict(
    zip(RankedPage._fields, (int, str, float, float, int, int, int, int, int, float, *[str] * 3), strict=True)
)
_OF_ANSWERS: dict[str, type] = {
    "host": str,
    "content_type": str,
    "seconds": float,
    "bytes": int,
    "fetched_iso": str,
    "changed_at": float,
    "changed_iso": str,
    "redirects_to": str,
    "canonical": str,
    "robots": str,
    "hreflang": str,
    "alternate_of": str,
}
_OF_USES: dict[str, type] = dict.fromkeys(Preferences._fields, str)
_OF_TEXTS: dict[str, type] = {"language": str, "description": str, "h1": str, "words": int}
COLUMNS = _OF_RANKS | _OF_ANSWERS | _OF_USES | _OF_TEXTS
"""Columns by name, with the type of their values, which may also be None. docs/report.md explains them."""


def named_columns(store: Store, text: str, ranking: str | None = None) -> dict[str, type]:
    """The columns that a user names, separated by commas. ranking: a kept ranking, which may be named, too.

    Raises SettingError for a column that is unknown, repeated, or needs texts where none are kept.
    """
    every = COLUMNS if ranking is None else COLUMNS | {ranking: float}
    columns: dict[str, type] = {}
    for name in (name.strip() for name in text.split(",")):
        if name not in every:
            alike = get_close_matches(name, every, 1)
            raise SettingError(
                f"--columns takes {', '.join(every)}, with commas between; not {name!r}"
                + (f": is it {alike[0]!r}?" if alike else "")
            )
        if name in columns:
            raise SettingError(f"--columns names {name!r} more than once; name it once")
        columns[name] = every[name]
    if (of_texts := _OF_TEXTS.keys() & columns.keys()) and not store.texts.size:
        raise SettingError(
            f"the column {min(of_texts)!r} needs texts, and {store.path} has none; let the crawl go on with --text"
        )
    return columns


def column_rows(
    store: Store, ranked: Ranked, names: Sequence[str], ranking: str | None = None
) -> Iterator[tuple[object, ...]]:
    """The values of the columns for ranked pages. Call it in a snapshot."""
    needs_text = not _OF_TEXTS.keys().isdisjoint(names)
    needs_answer = not _OF_ANSWERS.keys().isdisjoint(names)
    usage = None if _OF_USES.keys().isdisjoint(names) else PageUsage(store)
    while some := list(islice(ranked, _AT_ONCE)):
        facts = store.page_table.more_facts(number for number, *_ in some) if needs_answer else {}
        uses = {} if usage is None else usage.of_pages({number: page.url for number, page, _ in some})
        ends = _urls(store, facts.values())
        for number, page, value in some:
            values: dict[str, object] = page._asdict()
            if needs_answer:
                values |= _answered(page, facts[number], ends)
            if number in uses:
                values |= {use: verdict.word for use, verdict in uses[number]._asdict().items()}
            if needs_text:
                values |= _written(store.texts.text(number, page.url))
            if ranking is not None:
                values[ranking] = value
            yield tuple(values[name] for name in names)


def _urls(store: Store, facts: Iterable[PageFacts]) -> dict[int | None, str]:
    """URLs of the targets of aliases, and of pages that name others as alternates."""
    pages = {page for each in facts for page in (each.target, each.named_by) if page is not None}
    return {page: answer.url for page, answer in store.page_table.answers(pages).items()}


def _answered(page: RankedPage, facts: PageFacts, ends: dict[int | None, str]) -> dict[str, object]:
    """The columns about an answer."""
    cause = page.reason.partition("-")[0]
    leads_to = ends.get(facts.target) or facts.leads_to
    return {
        "host": facts.host,
        "content_type": facts.content_type,
        "seconds": facts.seconds,
        "bytes": facts.bytes,
        "fetched_iso": iso(page.fetched_at),
        "changed_at": facts.changed_at,
        "changed_iso": iso(facts.changed_at),
        "redirects_to": leads_to if page.reason == "meta-refresh" or cause == "redirect" else None,
        "canonical": None if facts.canonical is None else facts.canonical or page.url,
        "robots": facts.robots or (page.reason if page.reason in ("noindex", "nofollow") else None),
        "hreflang": facts.hreflang,
        "alternate_of": ends.get(facts.named_by),
    }


def _written(kept: KeptText | None) -> dict[str, object]:
    """The columns about a page's text."""
    if kept is None:
        return dict.fromkeys(_OF_TEXTS)
    words = len(kept.text.split())
    return {"language": kept.language, "description": kept.description, "h1": kept.h1, "words": words}


def iso(seconds: float | None) -> str | None:
    """Unix seconds as a date and time in UTC (ISO 8601); None outside the calendar's range."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return None
