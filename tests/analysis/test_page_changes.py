"""The changes of a page, and the difference that each has made."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from support.intakes import PATIENT
from support.sites import crawl, rows

from minicrawl.analysis.page_changes import page_changes
from minicrawl.store.reader import open_store
from minicrawl.store.texts.difference import CAME

HOME = "http://a.test/"
PAGE = HOME + "page"


def refreshed(store: Path, html: Callable[[int], str], fetches: int = 20, **settings: object) -> None:
    """Crawl a page that says at its nth fetch what `html` says of n, and another that links to it."""
    site = {HOME: [PAGE], PAGE: lambda _, count: httpx.Response(200, html=html(count))}
    options = {"refresh": True, "pages": fetches, "traps": False, "timing": PATIENT} | settings
    _, server = crawl(site, store, [HOME], **options)
    # The archive's dates are the machine's, which has not skipped the hour between two fetches.
    times = [at for at, url in server.times if url == PAGE]
    of_page = "SELECT records.id FROM records JOIN pages ON pages.id = page WHERE pages.url = ? ORDER BY records.id"
    for (record,), at in zip(rows(store, of_page, PAGE), times, strict=False):
        rows(store, f"UPDATE records SET at = (SELECT min(at) FROM changes) + {at - times[0] - 1} WHERE id = ?", record)


@pytest.mark.parametrize("kept", ["text", "archive"])
def test_change_that_is_noted_late_has_its_blocks(kept: str, tmp_path: Path) -> None:
    """On a noisy page a block that comes is noted fetches later: the difference is that since the change before,
    without noise."""

    def html(n: int) -> str:
        return f"<title>Page</title><p>of old<p>token {n * n}<p>stays{'<p>the news' if n > 7 else ''}"

    settings = {"text": True} if kept == "text" else {"archive": tmp_path / "archive"}
    refreshed(tmp_path / "crawl.db", html, 40, **settings)
    with open_store(tmp_path / "crawl.db") as store:
        changed = [change for change in page_changes(store, PAGE, 0.0) if change.what == "changed"]
    assert [change.diff for change in changed] == [((CAME, "the news"),)]


def test_what_changes_beside_the_text_has_its_lines(tmp_path: Path) -> None:
    """A title, and a link among words; not what a host repeats, nor what moves on a page of its own accord."""

    def html(n: int) -> str:
        title, path = ("Old", "/a") if n < 3 else ("New", "/b")
        menu = f"<nav><a href=/menu{n > 2}>Menu</a></nav>"
        return f"<title>{title}</title>{menu}<p>See <a href={path}>the plan</a> today.<p>one<p>two<p>three"

    refreshed(tmp_path / "crawl.db", html, text=True)
    with open_store(tmp_path / "crawl.db") as store:
        (changed,) = (change for change in page_changes(store, PAGE, 0.0) if change.what == "changed")
    lines = [("-", "Old"), ("-", f"the plan {HOME}a"), ("+", "New"), ("+", f"the plan {HOME}b")]
    assert list(changed.diff or ()) == lines
    assert (changed.added, changed.removed) == (2, 2)


def test_page_read_first_by_a_crawl_that_fetches_nothing_again_has_its_first_text(tmp_path: Path) -> None:
    store, words = tmp_path / "crawl.db", [" ".join(f"{word}{n}" for n in range(50)) for word in ("old", "new")]
    refreshed(store, lambda n: f"<p>{words[0]}<p>same", 2, text=True, refresh=False)
    refreshed(store, lambda n: f"<p>{words[1]}<p>same", 6)
    with open_store(store) as reader:
        changed = next(change for change in page_changes(reader, PAGE, 0.0) if change.what == "changed")
    assert [(line.sign, line.text) for line in changed.diff or ()] == [("-", words[0]), ("+", words[1])]


def test_body_that_the_archive_has_once_and_one_that_is_no_page(tmp_path: Path) -> None:
    """The first version comes back: a record of it refers to the first one."""
    store, long = tmp_path / "crawl.db", "<p>".join(f"block {number}" for number in range(200))
    refreshed(store, lambda n: f"{long}<p>{'away' if n // 14 % 2 else 'back'}", 70, archive=tmp_path / "archive")
    assert rows(store, "SELECT count(*) FROM records WHERE kind = 'revisit'")[0][0] > 2
    with open_store(store) as reader:
        changed = [change for change in page_changes(reader, PAGE, 0.0) if change.what == "changed"]
        assert {("+", "back"), ("-", "away")} <= {(line.sign, line.text) for one in changed for line in one.diff or ()}
    rows(store, "UPDATE records SET file = '../elsewhere'")
    with open_store(store) as reader, pytest.raises(Exception, match="not a file of this archive"):
        page_changes(reader, PAGE, 0.0)
