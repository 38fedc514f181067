"""A new store of what can be read in one: all of a sound one. Damaged ones: see test_damage."""

import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from support.sites import Server, canonical, crawl, faults_in, random_site, rows, wide_site

from minicrawl.analysis.archives import opened
from minicrawl.archive.check import check
from minicrawl.cli import main
from minicrawl.crawler.salvage import salvage
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store

SITE, SEEDS = random_site(2, pages=90)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "crawl.db"
    crawl(SITE, path, SEEDS, pages=60)
    return path


def test_sound_store_is_salvaged_whole(sound: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.db"
    found = salvage(sound, saved)
    query = "SELECT url, state, reason, depth, inlinks, title, status FROM ranks ORDER BY id"
    assert rows(saved, query) == rows(sound, query)
    assert found.again == 0
    importance = "SELECT importance FROM ranks ORDER BY id"
    expected = [value for (value,) in rows(sound, importance)]
    assert [value for (value,) in rows(saved, importance)] == pytest.approx(expected, abs=1e-6)
    whole = tmp_path / "whole.db"
    for store in (saved, sound):
        whole.write_bytes(store.read_bytes())
        report, _ = crawl(SITE, whole, [])
        assert (report.reason, report.known) == ("nothing-left", len(rows(whole, "SELECT 1 FROM pages")))


def test_command_salvages(sound: Path, tmp_path: Path) -> None:
    file = tmp_path / "saved.db"
    result = CliRunner().invoke(main, ["salvage", str(file), "--store", str(sound)])
    assert (result.exit_code, result.output.split(": ")[0]) == (0, str(file))
    with pytest.raises(SettingError, match="is there already"):
        salvage(sound, file)
    assert CliRunner().invoke(main, ["salvage", "x.db", "--store", str(tmp_path / "none.db")]).exit_code == 3


def test_store_that_wrote_items_is_salvaged_and_goes_on_with_another_file(tmp_path: Path) -> None:
    store, saved, items = tmp_path / "crawl.db", tmp_path / "saved.db", tmp_path / "items.jsonl"
    home = "http://a.test/"
    site = {home: ["<h1>x</h1>", *(f"{home}{number}" for number in range(5))]}
    site |= {f"{home}{number}": ["<h1>x</h1>"] for number in range(5)}
    crawl(site, store, [home], pages=2, extract=["title=h1"], items=str(items), archive=tmp_path / "kept")
    written = items.read_bytes()
    assert salvage(store, saved).read == 2
    assert items.read_bytes() == written
    with pytest.raises(SettingError, match="is there already; name another file"):
        crawl(site, saved, [], items=str(items))
    crawl(site, saved, [], items=str(tmp_path / "more.jsonl"))
    assert items.read_bytes() == written
    assert (written.count(b"\n"), (tmp_path / "more.jsonl").read_bytes().count(b"\n")) == (2, 4)


class Failing(Server):
    """Forbids a page by its robots.txt, and fails without an answer over another one."""

    def __init__(self, site: Mapping[str, Any]) -> None:
        super().__init__(site, "User-agent: *\nDisallow: /private\n")

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/broken":
            raise httpx.ReadError("")
        return super()._answer(request)


def archived(folder: Path, seed: int, **settings: Any) -> tuple[Path, dict[str, Any], list[str]]:
    """A crawl that keeps an archive and is not over: pages, redirects, a copy, and failures with answer and without."""
    pages, seeds = wide_site(seed, pages=120)
    site: dict[str, Any] = {url: [*links, f"<p>{' '.join(links)}"] for url, links in pages.items()}
    site[seeds[0]] += ["/moved", "/failing", "/private/page", "/none", "/copy", "/broken"]
    origin = seeds[0][: seeds[0].index("/", 8)]
    site |= {f"{origin}/moved": f"{origin}/target", f"{origin}/target": ["<p>here"], f"{origin}/failing": 403}
    site[f"{origin}/copy"] = [canonical(f"{origin}/target"), "/more"]
    some = list(pages)
    for late, early in zip(some[60:90], some, strict=False):
        site[late].append(early.replace("http:", "https:"))  # some of these wait, and have twins that do not
    store = folder / "crawl.db"
    crawl(Failing(site), store, seeds, archive=folder / "kept", pages=80, traps=False, max_depth=9, **settings)
    return store, site, seeds


def held(store: Path) -> dict[str, tuple[Any, ...]]:
    """State, reason, status and links of each URL; pages that failed without an answer wait."""
    with open_store(store) as reader:
        urls = list(reader.page_table.urls())
        leads = [[urls[target] for target in reader.link_table.outlinks(page)] for page in range(len(urls))]
    facts = rows(
        store, "SELECT state, CASE state WHEN 'waiting' THEN '' ELSE reason END, status FROM ranks ORDER BY id"
    )
    return {
        url: ("waiting", "", None, []) if kind[1] == "reset" else (*kind, to)
        for url, kind, to in zip(urls, facts, leads, strict=True)
    }


def difference(one: Path, other: Path) -> float:
    """The L1 distance of two rankings."""
    importance = [dict(rows(store, "SELECT url, importance FROM ranks")) for store in (one, other)]
    assert importance[0].keys() == importance[1].keys()
    return float(sum(abs(importance[0][url] - importance[1][url]) for url in importance[0]))


def test_a_lost_store_is_made_again_of_its_archive_which_goes_on_with_it(tmp_path: Path) -> None:
    store, site, _ = archived(tmp_path, 2, requisites=True)
    lost, saved = tmp_path / "lost.db", tmp_path / "saved.db"
    store.rename(lost)
    (tmp_path / "kept").rename(tmp_path / "moved")
    found = salvage(store, saved, tmp_path / "moved")
    before = held(lost)
    kinds = {kind[:2] for kind in before.values()}
    assert {("fetched", "ok"), ("waiting", ""), ("error", "http-403"), ("disallowed", "robots")} <= kinds
    assert {("alias", "redirect-301"), ("alias", "canonical"), ("error", "http-404")} <= kinds
    assert held(saved) == before
    assert difference(lost, saved) <= 1e-6
    assert (found.again, found.archive, faults_in(saved)) == (0, str(tmp_path / "moved"), [])
    times = "SELECT pages.url, max(at) FROM records JOIN pages ON pages.id = page GROUP BY page"
    place = "SELECT file, start, length, round(at, 3), kind, digest FROM records"
    answered = dict(rows(saved, "SELECT url, fetched_at FROM ranks"))
    for url, at in rows(lost, times):
        if before[url][0] == "fetched":
            assert answered[url] == pytest.approx(at, abs=1e-3)
    assert rows(saved, place) == rows(lost, place)
    report, server = crawl(Failing(site), saved, [])
    assert (report.reason, rows(saved, "SELECT count(*) FROM pages WHERE state = 'waiting'")) == (
        "nothing-left",
        [(0,)],
    )
    read = {url for url, (state, *_) in before.items() if state in ("fetched", "alias")}
    assert not read & set(server.asked)
    with opened(saved, None) as archive:
        assert check(archive.collection, archive.committed, deep=True).wrong == []


def test_pages_that_a_damaged_store_has_lost_come_from_its_archive(tmp_path: Path) -> None:
    store, _, _ = archived(tmp_path, 4)
    sound, saved = tmp_path / "sound.db", tmp_path / "saved.db"
    sound.write_bytes(store.read_bytes())
    rows(store, "DELETE FROM links WHERE source % 5 = 0")
    rows(store, "DELETE FROM pages WHERE id % 7 = 3")
    found = salvage(store, saved)
    assert (found.again, found.archive) == (0, str(tmp_path / "kept"))
    assert {url: held(saved)[url] for url in held(sound)} == held(sound)
    assert difference(sound, saved) <= 1e-6
    (tmp_path / "kept").rename(tmp_path / "moved")
    assert salvage(store, tmp_path / "without.db").again > 0
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {"moved"}


@pytest.mark.parametrize("limit", [1_000, 150_000])
def test_nothing_is_left_behind_where_the_disk_is_full(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, limit: int
) -> None:
    """Be it full while the schema is written, or the pages."""
    sound, home = tmp_path_factory.mktemp("sound") / "crawl.db", "http://a.test/"
    crawl({home: [f"{home}{number}/{'x' * 300}" for number in range(500)]}, sound, [home], pages=1)
    told = subprocess.run(
        [sys.executable, "-m", "minicrawl", "salvage", str(tmp_path / "saved.db"), "--store", str(sound)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # half a compiled module would be in everybody's way
        check=False,
        capture_output=True,
        text=True,
    )
    assert told.returncode == 3
    assert told.stderr.startswith("Error: the disk that holds")
    assert told.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
