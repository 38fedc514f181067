"""Every command that reads says the same of a crawl in one store, and of the store gathered of three partitions."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.cluster_runs import SETTINGS, WEB, crawled_alone, crawled_in_parts
from support.command_line import run
from support.sites import rows

from minicrawl.settings import CrawlSettings
from minicrawl.store.gather import gather

pytestmark = pytest.mark.slow
OWN = {"fetched_at", "at", "last_commit", "seconds", "bytes", "pages_per_second", "age", "stale", "value", "next_at"}
"""Times, and sizes of files."""
OWN |= {"store", "graph", "partition", "partitions", "rank", "page", "cores"}
OWN |= {"risen", "fallen", "overlap"}
"""Numbers of pages and partitions, and what follows from the order of pages of the same importance."""
OWN |= {"history", "cash", "received", "forwarded", "units", "most_units", "rounds", "visits", "stored", "settled"}
OWN |= {"tau", "l1", "linked_from", "queue"}
"""What the books of a partition say of the time when the crawl ended."""
OWN |= {"score", "explained"}
"""How rare a word is counts in the partition of the page."""
OWN |= {"first", "last", "seen_at", "after"}
"""Times of answers."""
OWN |= {"content", "text", "headings", "anchors", "snippet", "marks"}
"""What a host repeats is known by the pages that came last."""


@pytest.fixture(scope="module")
def stores(ray: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same crawl in one store, and gathered of three partitions."""
    path = tmp_path_factory.mktemp("crawls")
    crawled_alone(path / "one.db", search=True)
    crawled_in_parts(path / "three", 3, SETTINGS | {"search": True}).keep_settings(
        CrawlSettings.of(SETTINGS | {"search": True})
    )
    gather(path / "three", path / "three.db")
    assert run("index", "--store", path / "three.db").exit_code == 0
    for store in (path / "one.db", path / "three.db"):
        rows(store, "UPDATE fetches SET seconds = 0.1")  # else a busy machine makes some pages slow
    return path / "one.db", path / "three.db"


def same(value: Any) -> Any:
    """What must be alike of an answer; a list in the order of its words."""
    if isinstance(value, dict):
        return {key: same(each) for key, each in value.items() if key not in OWN}
    if isinstance(value, list):
        return sorted(map(same, value), key=words_of)
    return value


def words_of(value: Any) -> str:
    """What a value says without its fractions, which differ by what rounding makes of them."""
    return re.sub(r"-?\d+\.\d+(e-?\d+)?|\d+e-\d+|\b0\b", "#", json.dumps(value, sort_keys=True))


def are_alike(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(are_alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(are_alike, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return bool(one == pytest.approx(other, rel=1e-3, abs=1e-6))
    return bool(one == other)


def said(store: Path, words: str) -> Any:
    result = run(*words.split(), "--store", store, "--json")
    assert result.exit_code == 0, (words, result.output)
    return same(json.loads(result.stdout))


HOME = f"{WEB.seeds[0]}"
COMMANDS = [
    "top -n 1000 --where 1", "top", "top --by inlinks", "top --where importance>0.001",
    "status", "check", "verify", f"why {HOME}",
    "audit", "links --broken", "links --redirected", "links --external", f"links --to {HOME}", "changes --since 7d",
    "graph stats", "rank -n 1000", "rank --by hits -n 5", "rank --by inverse",
    f"rank --by trustrank --trusted {HOME}", f"text {HOME}", "index",
    "search intitle:orchard --n 100 --site alpine-sport.test",
    "refresh --pages 9999 --dry-run", f"changes {HOME} --diff",
    "copies --hosts", f"copies {HOME} --least 10",
]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_says_the_same_of_both(words: str, stores: tuple[Path, Path]) -> None:
    one, three = (said(store, words) for store in stores)
    assert are_alike(one, three), (one, three)


def edges(path: Path) -> list[list[str]]:
    """Links by URL."""
    urls = path.with_suffix(".urls.txt").read_text().splitlines()
    arcs = (line.split() for line in path.read_text().splitlines() if not line.startswith("#"))
    return sorted([urls[int(page)] for page in arc] for arc in arcs)


def ranks(path: Path) -> list[Any]:
    rows = csv.DictReader(io.StringIO(path.read_text()))
    return sorted([row["url"], row["state"], row["inlinks"], float(row["importance"])] for row in rows)


def lines(path: Path) -> list[Any]:
    return sorted((same(json.loads(line)) for line in path.read_text().splitlines()), key=words_of)


@pytest.mark.parametrize(
    ("words", "name", "read"),
    [("export", "ranks.csv", ranks), ("export --text", "corpus.jsonl", lines), ("graph export", "links.txt", edges)],
)
def test_a_file_says_the_same_of_both(
    words: str, name: str, read: Callable[[Path], Any], stores: tuple[Path, Path], tmp_path: Path
) -> None:
    found = []
    for number, store in enumerate(stores):
        path = tmp_path / str(number) / name
        path.parent.mkdir()
        result = run(*words.split(), path, "--store", store)
        assert result.exit_code == 0, result.output
        found.append(read(path))
    assert are_alike(*found)
    assert len(found[0]) > 100
