"""What pages say on their use is kept as of their last answers; pages withheld for it have no text and no items."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.intakes import PATIENT
from support.preferring import HEADER, HOME, META, SIGNAL, SITE, preferring
from support.sites import Server, crawl, rows

from minicrawl.analysis.page_text import page_text
from minicrawl.crawler.outcomes.outcome import said_by
from minicrawl.errors import SettingError
from minicrawl.model import Fetched, ParsedPage
from minicrawl.store.reader import open_store


def refreshed(server: Server, store: Path, pages: int = 20, **settings: Any) -> None:
    crawl(server, store, [HOME], refresh=True, pages=pages, traps=False, timing=PATIENT, **settings)


def texts(store: Path) -> set[str]:
    with open_store(store) as reader:
        return {page.url for page in reader.pages() if reader.text(page.url) is not None}


@pytest.mark.parametrize(
    ("fetched", "parsed", "expected"),
    [
        ({}, {}, None),
        ({"robots_tag": "noindex"}, {}, None),
        ({"robots_tag": "noindex, NoAI"}, {}, "header X-Robots-Tag: noai"),
        ({"robots_tag": "otherbot: noai"}, {}, None),
        ({"robots_tag": "otherbot: noindex\nminicrawl: noimageai, noai"}, {}, "header X-Robots-Tag: noai, noimageai"),
        ({"on_use": "Content-Usage: search=n"}, {}, "header Content-Usage: search=n"),
        (
            {"on_use": "Content-Signal: a\nContent-Usage: b", "robots_tag": "noai"},
            {"usage": ("robots: noai",)},
            "header Content-Signal: a\nheader Content-Usage: b\nheader X-Robots-Tag: noai\nmeta robots: noai",
        ),
    ],
)
def test_lines_of_a_page(fetched: dict[str, str], parsed: dict[str, tuple[str]], expected: str | None) -> None:
    assert said_by(Fetched(HOME, status=200, **fetched), ParsedPage(**parsed)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("respected", "withheld"),
    [
        ((), set()),
        (("ai-train",), {META, HEADER}),
        (("ai-input",), {META}),
        (("search",), {SIGNAL}),
        (("search", "ai-train"), {META, HEADER, SIGNAL}),
    ],
)
def test_texts_and_items_of_pages_that_forbid_a_use_are_not_kept(
    store: Path, tmp_path: Path, respected: tuple[str, ...], withheld: set[str]
) -> None:
    items = tmp_path / "items.jsonl"
    crawl(preferring(), store, [HOME], text=True, extract="title=title", items=str(items), respect_usage=respected)
    assert texts(store) == SITE.keys() - withheld
    assert {json.loads(line)["url"] for line in items.read_text().splitlines()} == SITE.keys() - withheld
    assert {state for (state,) in rows(store, "SELECT state FROM pages")} == {"fetched"}
    for url in withheld:
        with open_store(store) as reader, pytest.raises(SettingError, match="which the crawl respects"):
            page_text(reader, url)


def test_a_text_is_forgotten_once_its_page_forbids_a_use(store: Path) -> None:
    server = preferring(headers={})
    refreshed(server, store, text=True, respect_usage="ai-train", pages=5)
    assert texts(store) == SITE.keys() - {META}
    server.site |= preferring().site
    refreshed(server, store)
    assert texts(store) == SITE.keys() - {META, HEADER}
    assert rows(store, "SELECT page FROM text_versions") == []


def test_pages_are_read_again_when_another_use_is_respected(store: Path) -> None:
    server = preferring()
    refreshed(server, store, text=True, respect_usage="search", pages=5)
    for respected, withheld in (("ai-train", {META, HEADER}), ((), set[str]())):
        refreshed(server, store, respect_usage=respected)
        assert texts(store) == SITE.keys() - withheld
