"""Stores of every schema from 27 on, brought up to date; kills, a full disk and two at once meanwhile."""

import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from support.command_line import run
from support.dying import largest_file
from support.sample_stores import HOSTS, PATHS, SAMPLES, answer, unpack
from support.sites import HOME, Server, crawl, ranks, rows, states

from minicrawl.analysis.verify import verify
from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.salvage import salvage
from minicrawl.errors import StoreError
from minicrawl.store import upgrades
from minicrawl.store.database import hold
from minicrawl.store.reader import open_store
from minicrawl.store.schema import OLDEST, SCHEMA_VERSION, declared, definitions
from minicrawl.web.kept_text import about_of

ALL = sorted(file.name.removesuffix(".sql.xz") for file in SAMPLES.iterdir())
OLDEST_SAMPLE = "27-first"


def web() -> Server:
    """The web of the samples."""

    def reply(host: str, path: str) -> Callable[..., httpx.Response]:
        status, fields, body = answer(host, path)
        return lambda *_: httpx.Response(status, headers=fields, text=body)

    return Server(
        {f"http://{host}{path}": reply(host, path) for host in HOSTS for path in PATHS},
        lambda request, _: reply(request.url.host, "/robots.txt")(),
    )


def definitions_in(store: Path) -> dict[tuple[str, str], str]:
    with closing(sqlite3.connect(store)) as db:
        return definitions(db)


def is_old_or_new(store: Path) -> bool:
    """True for a store that is as it was, or is as this version makes it."""
    ((version,),) = rows(store, "PRAGMA user_version")
    return version == OLDEST or (version == SCHEMA_VERSION and definitions_in(store) == declared())


def test_every_version_has_a_step_and_a_sample() -> None:
    folder = Path(upgrades.__file__).parent
    steps = sorted(file.stem for file in folder.iterdir() if file.stem.startswith("to_"))
    versions = range(OLDEST, SCHEMA_VERSION)
    assert steps == [f"to_{version + 1}" for version in versions], "a change of schema comes with its step"
    assert {int(name.partition("-")[0]) for name in ALL} == {*versions}, "and a sample of the schema before"


def test_of_earlier_moments_the_middle_of_both_bounds_is_told(tmp_path: Path) -> None:
    unpack("38", tmp_path / "crawl.db")
    with open_store(tmp_path / "crawl.db") as reader:
        course, share = reader.course(), reader.coverage()
    assert course
    assert all(0.0 < point.about == pytest.approx((point.coverage + point.shown) / 2) for point in course[1:])
    assert 0.0 < share.low < share.shown
    assert share.about == pytest.approx((share.low + share.shown) / 2)


def test_watched_pages_stay(tmp_path: Path) -> None:
    unpack("37", tmp_path / "pages.watch.db")
    rows(tmp_path / "pages.watch.db", "INSERT INTO watched VALUES ('http://a.test/', x'01', x'02', 'lost', x'03', 4.0)")
    open_store(tmp_path / "pages.watch.db").close()
    watched = rows(tmp_path / "pages.watch.db", "SELECT * FROM watched")
    assert watched == [("http://a.test/", b"\1", b"\2", "lost", b"\3", 4.0)]


@pytest.mark.parametrize("sample", ALL)
def test_store_is_as_one_of_this_version_with_all_that_it_had(tmp_path: Path, sample: str) -> None:
    store = tmp_path / "crawl.db"
    unpack(sample, store)
    before = ranks(store), states(store), rows(store, "SELECT * FROM links"), rows(store, "SELECT * FROM cookies")
    with open_store(store) as opened:
        assert list(violations(opened)) == []
        found = verify(opened)
        assert (found.excess() <= 1e-6, found.wrong_births() <= 1e-6) == (True, True)
        text = opened.text("http://a.test/3")
        assert text is not None
        assert ("number 3" in text.content, text.title, text.language) == (True, "Page 3 of a.test", "en")
    assert definitions_in(store) == declared()
    assert (ranks(store), states(store)) == before[:2]
    assert (rows(store, "SELECT * FROM links"), rows(store, "SELECT * FROM cookies")) == before[2:]
    assert rows(store, "SELECT DISTINCT language FROM page WHERE state = 'fetched'") == [("en",)]
    assert {file.name for file in tmp_path.iterdir()} == {"crawl.db", "crawl.db.lock"}


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What this version makes of the web of the samples."""
    crawl(web(), store := tmp_path_factory.mktemp("new") / "crawl.db", ["http://a.test/"], text=True, cookies=True)
    return store


@pytest.mark.slow
@pytest.mark.parametrize("sample", ALL)
def test_crawl_goes_on_to_what_a_new_one_finds(tmp_path: Path, new: Path, sample: str) -> None:
    store = tmp_path / "crawl.db"
    unpack(sample, store)
    crawl(web(), store, [])
    assert states(store) == states(new)
    assert sum(abs(rank - ranks(new)[url]) for url, rank in ranks(store).items()) <= 1e-6
    crawl(web(), store, [], refresh=True, pages=5)
    with open_store(store) as opened:
        assert list(violations(opened)) == []
    assert rows(store, "SELECT count(*) FROM changes WHERE what = 'changed'") == [(0,)]


def test_views_of_users_stay(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    unpack(OLDEST_SAMPLE, store)
    rows(store, 'CREATE VIEW "my hosts" AS SELECT name, backoff FROM hosts')
    rows(store, "CREATE VIEW best AS SELECT url FROM ranks LIMIT 1")
    open_store(store).close()
    assert rows(store, "SELECT * FROM best") == [("http://a.test/",)]
    assert definitions_in(store).keys() - declared().keys() == {("view", "my hosts"), ("view", "best")}


def test_what_gone_rules_refused_is_asked_again(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    unpack(OLDEST_SAMPLE, store)
    waiting, *others = (url for url, state in states(store).items() if state.startswith("waiting"))
    given = [("error", "host-dead"), ("error", "trap-x"), ("fetched", "canonical-trap-x")]
    for url, (state, reason) in zip(others[:3], given, strict=True):
        rows(store, "UPDATE pages SET state = ?, reason = ? WHERE url = ?", state, reason, url)
    rows(store, "UPDATE pages SET reason = 'trap-host-budget' WHERE url = ?", waiting)
    open_store(store).close()
    found = states(store)
    assert [found[url] for url in others[:2]] == ["error earlier-version"] * 2
    assert found[others[2]] == "fetched canonical-earlier-version"
    assert found[waiting] == "waiting trap-host-budget"
    again = run("crawl", "--dry-run", "--store", store)
    assert again.exit_code == 0, again.output


def test_text_that_cannot_be_read_and_language_that_is_none_stop_nothing(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    unpack(OLDEST_SAMPLE, store)
    rows(store, "UPDATE text_records SET packed = x'00' WHERE id = 1")
    with open_store(store) as opened:
        packed = dict(opened.rows("SELECT id, packed FROM text_records"))
    assert packed.pop(1) == b"\0"
    assert {about_of(record).language for record in packed.values()} == {"en"}


# Kills, a full disk, two at once.


def upgrade_in_child(store: Path, kill_at: int | None, counted: Path) -> None:
    """Open a store in a process of its own that is killed at this moment: a hundred steps of SQLite's machine are one,
    and a call that changes a file. With None it writes how many there were."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    moments = 0

    def pass_moment() -> None:
        nonlocal moments
        if moments == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        moments += 1

    def connect(*words: Any, **named: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = real(*words, **named)
        db.set_progress_handler(pass_moment, 100)
        return db

    def on_audit(event: str, _: tuple[Any, ...]) -> None:
        if event in ("os.remove", "os.rename", "os.truncate", "sqlite3.connect"):
            pass_moment()

    real = sqlite3.connect
    try:
        sys.addaudithook(on_audit)
        sqlite3.connect = connect  # type: ignore[assignment]
        open_store(store).close()
        if kill_at is None:
            counted.write_text(str(moments))
    finally:
        os.kill(os.getpid(), signal.SIGKILL)


def test_the_copy_that_a_killed_upgrade_has_left_goes_with_the_next_opening(tmp_path: Path) -> None:
    store, copy = tmp_path / "crawl.db", tmp_path / "crawl.db.before-upgrade"
    crawl({HOME: []}, store, [HOME])
    copy.touch()
    with hold(store), open_store(store):
        assert copy.exists()
    open_store(store).close()
    assert not copy.exists()


@pytest.mark.slow
def test_killed_at_any_moment_it_is_the_old_store_or_the_new_one_and_the_next_opening_goes_on(tmp_path: Path) -> None:
    sample, counted = tmp_path / "sample.db", tmp_path / "moments"
    unpack(OLDEST_SAMPLE, sample)
    before = ranks(sample)
    store = Path(shutil.copy(sample, tmp_path / "whole.db"))
    upgrade_in_child(store, None, counted)
    moments = int(counted.read_text())
    assert moments > 100
    versions = set()
    for kill_at in [*random.Random(91).sample(range(moments), 29), moments - 1]:
        folder = tmp_path / str(kill_at)
        folder.mkdir()
        store = Path(shutil.copy(sample, folder / "crawl.db"))
        upgrade_in_child(store, kill_at, counted)
        assert is_old_or_new(store), kill_at
        versions.update(rows(store, "PRAGMA user_version"))
        run("crawl", "--store", store, "--pages", "0")
        with open_store(store) as opened:
            assert list(violations(opened)) == [], kill_at
        assert (ranks(store), definitions_in(store)) == (before, declared()), kill_at
    assert versions == {(OLDEST,), (SCHEMA_VERSION,)}


def test_full_disk_leaves_the_old_store_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "crawl.db"
    unpack(OLDEST_SAMPLE, store)
    long = json.dumps(["A title " * 10**5, None, None, True, 0]) + "\n"
    rows(store, "INSERT INTO text_records VALUES (1000000, ?)", zlib.compress(long.encode()))
    size = store.stat().st_size
    for limit in (size // 2, size):  # the copy does not fit in, the log of what is written anew does not
        with largest_file(limit), pytest.raises(StoreError, match="the disk that holds"):
            open_store(store)
        assert is_old_or_new(store)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1))
    with pytest.raises(StoreError, match=r"that needs \d MB beside it, and 0 MB are free"):
        open_store(store)
    assert {file.name for file in tmp_path.iterdir()} == {"crawl.db", "crawl.db.lock"}
    assert rows(store, "PRAGMA user_version") == [(OLDEST,)]


def test_two_at_once_one_says_so(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    unpack(OLDEST_SAMPLE, store)
    with hold(store), pytest.raises(StoreError, match="a crawl of that version or another upgrade is using it"):
        open_store(store)
    assert rows(store, "PRAGMA user_version") == [(OLDEST,)]


# What commands say.


@pytest.mark.parametrize(
    "words", ["top", "status", "audit", "text http://a.test/", "sql SELECT+1", "check", "links --broken"]
)
def test_command_upgrades_or_refuses(tmp_path: Path, words: str) -> None:
    store = tmp_path / "crawl.db"
    unpack(OLDEST_SAMPLE, store)
    command = [word.replace("+", " ") for word in words.split()]
    refused = run(*command, "--no-upgrade", "--store", store)
    assert (refused.exit_code, refused.stderr.count("\n")) == (3, 1)
    assert f"(schema {OLDEST}), and must be upgraded; leave out --no-upgrade" in refused.stderr
    assert rows(store, "PRAGMA user_version") == [(OLDEST,)]
    assert run(*command, "--store", store).exit_code == 0
    assert run(*command, "--no-upgrade", "--store", store).exit_code == 0


@pytest.mark.parametrize("words", ["watch http://a.test/ --store {}", "demo --store {}", "gather none {}"])
def test_others_that_open_stores_refuse_too(tmp_path: Path, words: str) -> None:
    store = tmp_path / "pages.watch.db"
    unpack("33", store)
    refused = run(*words.format(store).split(), "--no-upgrade")
    assert (refused.exit_code, "leave out --no-upgrade" in refused.stderr) == (3, True)
    assert rows(store, "PRAGMA user_version") == [(33,)]


@pytest.mark.parametrize("command", ["top", "dashboard", "mcp", "crawl", "backup copy.db"])
@pytest.mark.parametrize(
    ("version", "says"),
    [(OLDEST - 1, "minicrawl salvage NEW --store"), (SCHEMA_VERSION + 1, "was written by a newer minicrawl")],
)
def test_store_that_is_too_old_or_too_new_is_one_sentence(
    tmp_path: Path, command: str, version: int, says: str
) -> None:
    store = tmp_path / "crawl.db"
    unpack(OLDEST_SAMPLE, store)
    rows(store, f"PRAGMA user_version = {version}")
    refused = run(*command.split(), "--store", store)
    assert (refused.exit_code, says in " ".join(refused.stderr.split())) == (3, True), refused.output


def test_what_is_too_old_is_salvaged_with_pages_links_and_settings(tmp_path: Path) -> None:
    store, saved = tmp_path / "crawl.db", tmp_path / "saved.db"
    unpack(OLDEST_SAMPLE, store)
    rows(store, f"PRAGMA user_version = {OLDEST - 1}")
    salvage(store, saved)
    with open_store(saved) as opened:
        assert opened.settings["cookies"]
        assert list(violations(opened)) == []
    assert states(saved) == states(store)
    links = "SELECT a.url, b.url FROM link_pairs JOIN pages AS a ON a.id = source JOIN pages AS b ON b.id = target"
    assert sorted(rows(saved, links)) == sorted(rows(store, links))
