"""Hosts that mirror others, told by a store and by the commands."""

import json
from pathlib import Path

import pytest
from support.command_line import answer, run
from support.sites import Site, crawl

from minicrawl.analysis.sites import mirrors_of
from minicrawl.store.reader import open_store

HOME, MIRROR, COPY = "http://a.test", "http://b.test", "http://c.test"
PATHS = [f"/{number}" for number in range(8)]


def page(number: int, host: str) -> list[str]:
    words = " ".join(f"word{number * 200 + at}" for at in range(150))
    return [f"<title>{number}</title><p>{words}</p>", *(host + path for path in PATHS)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """b and c have the pages of a; d has pages at the same paths, and e one of a's."""
    site: Site = {}
    for host in (HOME, MIRROR, COPY):
        site |= {host + path: page(number, host) for number, path in enumerate(PATHS)}
    site |= {f"http://d.test{path}": page(number + 9, "http://d.test") for number, path in enumerate(PATHS)}
    site["http://e.test/"] = [*page(0, HOME), MIRROR + "/0", COPY + "/0", "http://d.test/0"]
    path = tmp_path_factory.mktemp("mirrors") / "crawl.db"
    crawl(site, path, ["http://e.test/", HOME + "/0"], traps=False)
    return path


def test_hosts_mirror_the_most_important_of_them(store: Path) -> None:
    with open_store(store) as reader:
        found = mirrors_of(reader)
    assert [(each.host, each.of, each.compared) for each in found] == [(MIRROR, HOME, 8), (COPY, HOME, 8)]
    assert all(each.alike == 1.0 for each in found)


def test_commands_tell_of_mirrors(store: Path) -> None:
    assert [row["host"] for row in answer("copies", "--hosts", "--store", store)] == [MIRROR, COPY]
    for kind in ("site", "host"):
        rows = {row["site"]: row["mirror_of"] for row in answer("top", "--sites", kind, "--store", store)}
        assert rows == {"a.test": None, "b.test": HOME, "c.test": HOME, "d.test": None, "e.test": None}
        assert f"with a mirror of {HOME}" in run("top", "--sites", kind, "--store", store).stdout


def test_a_crawl_of_one_host_has_no_mirrors(tmp_path: Path) -> None:
    crawl({HOME + "/": page(1, HOME)}, tmp_path / "crawl.db", [HOME + "/"], traps=False)
    assert run("copies", "--hosts", "--store", tmp_path / "crawl.db").stdout == "No host mirrors another.\n"
    assert json.loads(run("copies", "--hosts", "--json", "--store", tmp_path / "crawl.db").stdout) == []
