"""One round of fetching pages again, as a user asks for it."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import skipping
from support.command_line import answer, run
from support.loopback import quiet_port
from support.patience import PATIENCE
from support.sites import HOME, rows
from support.small_web import Pages, small_web


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A plain crawl whose web is still there."""
    path = tmp_path_factory.mktemp("refresh") / "crawl.db"
    with small_web() as port:
        options = ("--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "--no-traps")
        assert run("crawl", HOME, "--store", path, *options).exit_code == 0
        yield path


def fetched_at(store: Path) -> dict[str, float]:
    return dict(rows(store, "SELECT url, fetched_at FROM pages JOIN fetches ON fetches.id = fetch"))


def test_so_many_pages_are_fetched_again_those_that_the_dry_run_shows(store: Path) -> None:
    rows(store, "UPDATE fetches SET fetched_at = 1e9")  # so that what gains more does so at any moment
    before, settings = fetched_at(store), rows(store, "SELECT value FROM meta WHERE key = 'settings'")
    shown = answer("refresh", "--pages", "3", "--dry-run", "--store", store)
    assert len(shown) == 3
    assert fetched_at(store) == before
    gains = [row["importance"] * row["stale"] for row in shown]
    assert gains == sorted(gains, reverse=True)
    report = answer("refresh", "--pages", "3", "--store", store)
    assert (report["fetched"], report["changed"], report["gone"], report["reason"]) == (3, 0, 0, "nothing-left")
    after = fetched_at(store)
    assert {url for url in after if after[url] != before[url]} == {row["url"] for row in shown}
    assert rows(store, "SELECT value FROM meta WHERE key = 'settings'") == settings
    assert run("check", "--store", store).exit_code == 0


@pytest.mark.parametrize("limit", [("--pages", "1000"), ("--time", "1h")])
def test_more_pages_than_there_are_get_one_turn_each(store: Path, limit: tuple[str, str]) -> None:
    before = fetched_at(store)
    result = run("refresh", *limit, "--store", store)
    assert result.stdout.startswith(f"{len(before)} pages fetched again")
    assert all(fetched_at(store)[url] > at for url, at in before.items())


def test_a_round_that_has_nothing_to_compare_with_says_so(store: Path) -> None:
    said = [run("refresh", "--pages", "1000", "--store", store).stdout.splitlines()[1:] for _ in range(2)]
    assert said == [["The crawl kept nothing to compare these pages with: the next round tells what has changed."], []]
    assert answer("refresh", "--pages", "2", "--store", store)["compares"]


def test_what_comes_first_is_told_with_its_reason(store: Path) -> None:
    head, first, *_, last = run("refresh", "--pages", "2", "--dry-run", "--store", store).stdout.splitlines()
    assert head.split() == ["importance", "changed", "read", "changes", "every", "page"]
    assert "7 days?" in first
    assert last == "? no second fetch yet: as often as other pages"


def test_nobody_there_is_exit_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "crawl.db"
    with small_web(port=quiet_port()) as port:
        options = ("--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0")
        run("crawl", HOME, "--store", path, *options)
    monkeypatch.setattr("minicrawl.cli.refresh.run_loop", skipping.run)
    result = run("refresh", "--pages", "2", "--time", "60s", "--store", path)
    assert result.exit_code == 1
    assert "nothing could be fetched (refused)" in result.stderr


class Busy(Pages):
    """Pages of which a host asks for this rest, in seconds; `asked` is set then."""

    rest, asked = "", threading.Event()

    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        if not self.rest or self.path == "/robots.txt" or "club" not in self.headers["Host"]:
            super().do_GET()
            return
        self.answer(429, b"", ("Retry-After", self.rest))
        self.asked.set()


def test_a_round_is_not_held_by_a_host_that_asks_for_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "crawl.db"
    with small_web(Busy) as port:
        options = ("--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "--no-traps")
        assert run("crawl", HOME, "--store", path, *options).exit_code == 0
        before = fetched_at(path)
        monkeypatch.setattr(Busy, "rest", "3600")
        result = run("refresh", "--pages", "10", "--store", path)
    theirs = {url for url in before if "club" in url}
    assert {url for url, at in fetched_at(path).items() if at > before[url]} == before.keys() - theirs
    left = f"{len(theirs)} pages of club.test ({len(theirs)})"
    assert f"\nLeft to the next round, because their hosts rest: {left}.\n" in result.stdout
    assert result.exit_code == 0


def test_a_round_that_waits_for_a_host_is_stopped_from_another_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = ("--store", str(tmp_path / "crawl.db"))
    with small_web(Busy) as port:
        options = ("--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "--no-traps")
        assert run("crawl", HOME, *stores, *options).exit_code == 0
        monkeypatch.setattr(Busy, "rest", "60")
        monkeypatch.setattr(Busy, "asked", threading.Event())
        words = [sys.executable, "-m", "minicrawl", "refresh", "--pages", "3", *options[:2], *stores]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as refresh:
            assert Busy.asked.wait(PATIENCE)
            assert run("control", "stop", *stores).exit_code == 0
            assert refresh.wait(PATIENCE) == 130


def test_fields_that_the_crawl_takes_out_of_pages_go_on(tmp_path: Path) -> None:
    store, items = tmp_path / "crawl.db", tmp_path / "items.jsonl"
    with small_web() as port:
        options = ("--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "--no-traps")
        taken = ("--extract", "title=title", "--items", items)
        assert run("crawl", HOME, "--store", store, *options, *taken).exit_code == 0
        before = items.read_text().count("\n")
        assert answer("refresh", "--pages", "2", "--store", store, "--items", items)["fetched"] == 2
        refused = run("refresh", "--pages", "2", "--store", store)
    assert items.read_text().count("\n") == before + 2
    assert refused.exit_code == 2
    assert refused.stderr.startswith("Error: --extract needs a file for what it finds: --items FILE")
