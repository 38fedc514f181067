"""Stores that are damaged anywhere: a sentence and an exit code, never a traceback; and what can be saved of them."""

import contextlib
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from support.ailing import crawl_ailing
from support.command_line import run
from support.sites import HOME, crawl, crawled_once, faults_in, random_site, rows

from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.salvage import salvage
from minicrawl.errors import SettingError, StoreError
from minicrawl.store.links import from_bytes
from minicrawl.store.reader import open_store

SITE, SEEDS = random_site(2, pages=90)
sound = crawled_once(SITE, SEEDS, pages=60)


def bits_flipped(content: bytearray, draw: random.Random) -> bytes:
    for _ in range(draw.choice([1, 3, 30])):
        content[draw.randrange(100, len(content))] ^= 1 << draw.randrange(8)
    return bytes(content)


def pages_zeroed(content: bytearray, draw: random.Random) -> bytes:
    for _ in range(draw.choice([1, 3])):
        page = 2048 * draw.randrange(1, len(content) // 2048)
        content[page : page + 2048] = bytes(2048)
    return bytes(content)


def cut(content: bytearray, draw: random.Random) -> bytes:
    return bytes(content[: draw.randrange(1, len(content))])


def shuffled(content: bytearray, draw: random.Random) -> bytes:
    one, other = (2048 * draw.randrange(1, len(content) // 2048) for _ in range(2))
    swapped = content[other : other + 2048], content[one : one + 2048]
    content[one : one + 2048], content[other : other + 2048] = swapped
    return bytes(content)


DAMAGES = [bits_flipped, pages_zeroed, cut, shuffled]
ROWS = [
    "DELETE FROM {table} WHERE rowid = (SELECT rowid FROM {table} ORDER BY random() LIMIT 1)",
    "UPDATE pages SET {column} = {value} WHERE id = {page}",
]
COLUMNS = (
    *("id", "host", "found_on", "visited", "depth", "inlinks"),
    *("cash", "clock", "forwarded", "walkers", "fetch"),
)
VALUES = (-1, 0, 2**31, 2**40, 2**62, -(2**62), 999)


def rows_spoiled(path: Path, draw: random.Random) -> None:
    """Damage that SQLite finds nothing wrong with."""
    table, column = draw.choice(["pages", "links", "hosts", "fetches"]), draw.choice(COLUMNS)
    change = draw.choice(ROWS).format(table=table, column=column, value=draw.choice(VALUES), page=draw.randrange(60))
    wild = "UPDATE links SET targets = CAST(x'ffffff7f' || targets AS BLOB) WHERE source = ?"
    rows(path, wild, draw.randrange(300))
    rows(path, change.replace("UPDATE", "UPDATE OR IGNORE"))


def damaged(sound: Path, path: Path, seed: int) -> None:
    draw = random.Random(seed)
    if seed % 5 == 4:
        rows_spoiled(Path(shutil.copy(sound, path)), draw)
    else:
        path.write_bytes(DAMAGES[seed % 5](bytearray(sound.read_bytes()), draw))


COMMANDS = (
    ["top"], ["top", "--by", "inlinks"], ["top", "--sites"], ["status"], ["why", SEEDS[0]], ["why", "http://x.test/"],
    ["check"], ["verify"], ["rank"], ["graph", "stats"], ["seeds"],
)  # fmt: skip


def use(path: Path, folder: Path) -> None:
    """Every command that reads, and a crawl: each ends in a sentence or well."""
    for command in (*COMMANDS, ["export", str(folder / "ranks.csv")], ["backup", "--force", str(folder / "copy.db")]):
        result = run(*command, "--store", path)
        told = f"{command}: {result.output} {result.exception!r}"
        assert result.exception is None or isinstance(result.exception, SystemExit), told
        assert result.exit_code in ((0, 2, 3) if command[0] == "why" else (0, 3, 4)), told
    with contextlib.suppress(StoreError, SettingError):
        crawl(SITE, path, [], pages=15, time=20)


@pytest.mark.parametrize("seed", range(5))
def test_damaged_store_is_a_sentence(sound: Path, tmp_path: Path, seed: int) -> None:
    path = tmp_path / "crawl.db"
    damaged(sound, path, seed)
    use(path, tmp_path)


def redefined(name: str, old: str, new: str) -> str:
    """A bit is flipped in a definition: the numbers are others, or none, and SQLite is content with it."""
    marked = (text.replace("'", "''") for text in (old, new))
    change = "UPDATE sqlite_schema SET sql = replace(sql, '{}', '{}') WHERE name = '{}'"
    return "PRAGMA writable_schema = on; " + change.format(*marked, name)


UNSEEN = {
    "a number is none": "UPDATE meta SET value = 'many' WHERE key = 'links_left_out'",
    "an endless number": "UPDATE meta SET value = 9e999 WHERE key = 'links_left_out'",
    "octets": "UPDATE meta SET value = x'fffe00' WHERE key = 'run_at'",
    "settings that are none": "UPDATE meta SET value = 'null' WHERE key = 'settings'",
    "a setting that is not valid": "UPDATE meta SET value = '{\"user_agent\": 7}' WHERE key = 'settings'",
    "a run without its pages": "UPDATE meta SET value = '{\"bytes\": 7}' WHERE key = 'run'",
    "no key of hashes": "DELETE FROM meta WHERE key = 'hash_key'",
    "a key of hashes that is none": "UPDATE meta SET value = 'key' WHERE key = 'hash_key'",
    "no births": "DELETE FROM meta WHERE key = 'births'",
    "no places": "DELETE FROM places",
    "places elsewhere": "UPDATE places SET first = 7",
    "places in another order": "UPDATE places SET pages = CAST(substr(pages, 5) || substr(pages, 1, 4) AS BLOB)",
    "a sketch that is cut": "UPDATE fetches SET sketch = x'00' WHERE id = 3",
    "a cut witness": "INSERT OR REPLACE INTO health SELECT 0, '', '', '', 0, 0, 0, 0, 0, 0, 0, 0, x'0000', 0, 0",
    "links that are cut": "UPDATE links SET targets = substr(targets, 2) WHERE length(targets) > 4",
    "another key in a view": redefined("book", "never_visited", "never_visitet"),
    "another state in a view": redefined("weighed", "'alias'", "'alibs'"),
    "another order of a view": redefined("ranks", "x DESC", "y DESC"),
    "an index of other rows": redefined("pages_seeds", "IS NULL", "NOTNULL"),
    "a table without its key": redefined("meta", "PRIMARY KEY", "NOT NULL"),
}


@pytest.mark.parametrize("change", UNSEEN.values(), ids=UNSEEN)
def test_damage_that_sqlite_does_not_see_is_found(sound: Path, tmp_path: Path, change: str) -> None:
    """By check, and told as such by whatever comes upon it."""
    path = Path(shutil.copy(sound, tmp_path))
    with sqlite3.connect(path) as db:
        db.executescript(change)
    db.close()
    assert run("check", "--store", path).exit_code in (3, 4)
    use(path, tmp_path)


@pytest.mark.parametrize("seed", range(100, 125))
def test_what_is_salvaged_is_a_sound_store_that_a_crawl_goes_on_from(sound: Path, tmp_path: Path, seed: int) -> None:
    path, saved = tmp_path / "crawl.db", tmp_path / "saved.db"
    damaged(sound, path, seed)
    before = path.read_bytes()
    try:
        pages, _, _ = salvage(path, saved)
    except StoreError:
        assert not saved.exists()
        return
    assert path.read_bytes() == before
    with open_store(saved) as store:
        assert (store.size(), list(violations(store))) == (pages, [])
    crawl(SITE, saved, SEEDS)
    assert faults_in(saved) == []


def test_damage_that_sqlite_finds_has_the_way_out(sound: Path, tmp_path: Path) -> None:
    path, content = tmp_path / "crawl.db", bytearray(sound.read_bytes())
    content[2048:] = bytes(len(content) - 2048)
    path.write_bytes(content)
    result = run("top", "--store", path)
    assert (result.exit_code, "is damaged" in result.output) == (3, True)
    assert result.output.endswith(f"save what can be read of it: minicrawl salvage NEW --store {path}\n")
    (tmp_path / "notes.txt").write_text("no store at all\n" * 99)
    result = run("salvage", tmp_path / "new.db", "--store", tmp_path / "notes.txt")
    assert (result.exit_code, "nothing of" in result.output, "salvage NEW" in result.output) == (3, True, False)


def test_sound_store_is_salvaged_whole(sound: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.db"
    _, _, again = salvage(sound, saved)
    query = "SELECT url, state, reason, depth, inlinks, title, status FROM ranks ORDER BY id"
    assert rows(saved, query) == rows(sound, query)
    assert again == 0
    importance = "SELECT importance FROM ranks ORDER BY id"
    expected = [value for (value,) in rows(sound, importance)]
    assert [value for (value,) in rows(saved, importance)] == pytest.approx(expected, abs=1e-6)
    whole = tmp_path / "whole.db"
    for store in (saved, sound):
        whole.write_bytes(store.read_bytes())
        report, _ = crawl(SITE, whole, [])
        assert (report.reason, report.known) == ("nothing-left", len(rows(whole, "SELECT 1 FROM pages")))


def test_ill_hosts_stay_ill_with_the_witnesses_that_are_left(tmp_path: Path) -> None:
    def health(store: Path) -> tuple[list[object], list[str]]:
        with open_store(store) as reader:
            (row,), (host,) = reader.hosts.health(), reader.hosts.ill()
            witnesses = [reader.page_table.url(page) for page in from_bytes(row.witnesses).tolist()]
            return [host.host, *row._replace(host=0, witnesses=b"")], witnesses

    store, saved = tmp_path / "crawl.db", tmp_path / "saved.db"
    crawl_ailing(store)
    facts, (lost, *others) = health(store)
    assert others
    for witnesses in ([lost, *others], others):
        salvage(store, saved)
        assert health(saved) == (facts, witnesses)
        assert faults_in(saved) == []
        saved.unlink()
        rows(store, "UPDATE pages SET reason = '' WHERE url = ?", lost)


def test_command_salvages(sound: Path, tmp_path: Path) -> None:
    file = tmp_path / "saved.db"
    result = run("salvage", file, "--store", sound)
    assert (result.exit_code, result.output.split(": ")[0]) == (0, str(file))
    assert run("check", "--store", file).exit_code == 0
    with pytest.raises(SettingError, match="already exists"):
        salvage(sound, file)
    assert run("salvage", "x.db", "--store", tmp_path / "none.db").exit_code == 3


@pytest.mark.parametrize("limit", [1_000, 150_000])
def test_nothing_is_left_behind_where_the_disk_is_full(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, limit: int
) -> None:
    """Be it full while the schema is written, or the pages."""
    sound = tmp_path_factory.mktemp("sound") / "crawl.db"
    crawl({HOME: [f"{HOME}{number}/{'x' * 300}" for number in range(500)]}, sound, [HOME], pages=1)
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
