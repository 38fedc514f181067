"""A folder of partitions answers what one store does, by asking each of its stores."""

import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow.dataset as data_set
import pytest
from support.command_line import run
from support.partition_twins import twins
from support.partitions import random_web

from minicrawl.analysis.explain import explain
from minicrawl.analysis.status import status
from minicrawl.analysis.top import asked_list
from minicrawl.cluster import answers
from minicrawl.errors import SettingError, StoreError
from minicrawl.graphs.graph_files import links_by_url
from minicrawl.store.reader import Store, open_store

ALL = 10_000
WEB = random_web(random.Random(3), pages=60, hosts=12)
WEB[next(iter(WEB))] = [*WEB, "http://h2.test/gone"]  # the seed leads to all, and to a page that is not there


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl in three partitions; beside it is the same one in a file. To be read alone."""
    return twins(tmp_path_factory.mktemp("crawls"), WEB)[1]


@pytest.fixture
def one(folder: Path) -> Iterator[Store]:
    with open_store(folder.with_name("one.db")) as store:
        yield store


@pytest.mark.parametrize("where", [None, "state = 'waiting' OR status = 404", "1"])
@pytest.mark.parametrize("per_site", [None, 0, 1])
def test_list_is_that_of_one_store(folder: Path, one: Store, where: str | None, per_site: int | None) -> None:
    here = answers.top(folder, "importance", ALL, where, per_site)
    there = asked_list(one, "importance", ALL, where, per_site)
    found, expected = ({line.page.url: line.page.importance for line in each.lines} for each in (here, there))
    assert found == pytest.approx({url: expected[url] for url in found}, abs=1e-9)
    if per_site != 1:  # of pages as good as each other either may be the one
        assert found.keys() == expected.keys()
    assert len(here.lines) == len(there.lines) > 0
    assert [line.page.rank for line in here.lines] == list(range(1, len(here.lines) + 1))
    shown = [line.page.importance for line in here.lines]
    assert shown == sorted(shown, reverse=True)
    assert (here.order, here.unread) == (there.order, there.unread)


def test_why_ranks_a_page_among_all(folder: Path, one: Store) -> None:
    for page in one.pages(n=20):
        here, there = answers.why(folder, page.url), explain(one, page.url)
        assert here.page is not None
        assert there.page is not None
        assert here.page.ranked.importance == pytest.approx(page.importance, abs=1e-9)
        better = sum(other.importance > page.importance + 1e-12 for other in one.pages())
        as_good = sum(abs(other.importance - page.importance) <= 1e-12 for other in one.pages())
        assert better < here.page.ranked.rank <= better + as_good
        assert (here.state, here.reason, here.page.known_pages) == (there.state, there.reason, one.size())
    assert answers.why(folder, "http://nowhere.test/").reason == "no-link"


def test_state_is_that_of_all(folder: Path, one: Store) -> None:
    whole, _, _, _ = answers.whole(folder)
    alone = status(one)
    for name in ("known", "read", "states", "reasons", "hosts", "left_out", "running"):
        assert getattr(whole, name) == getattr(alone, name), name
    assert [part.number for part in whole.partitions] == [0, 1, 2]


def test_data_sets_have_every_page_and_link_once(folder: Path, one: Store, tmp_path: Path) -> None:
    pages, links = tmp_path / "ranks.parquet", tmp_path / "links.parquet"
    assert answers.export_pages(folder, pages, "importance") == (one.size(), 0, ())
    assert sorted(file.name for file in pages.iterdir()) == ["000.parquet", "001.parquet", "002.parquet"]
    rows = {row["url"]: row for row in data_set.dataset(pages).to_table().to_pylist()}
    assert len(rows) == one.size()
    for page in one.pages():
        assert rows[page.url]["importance"] == pytest.approx(page.importance, abs=1e-9)
        assert (rows[page.url]["state"], rows[page.url]["reason"]) == (page.state, page.reason)
        assert rows[page.url]["inlinks"] <= page.inlinks  # without those to an alias of another partition
    count = answers.export_links(folder, links)
    found = [(row["source"], row["target"]) for row in data_set.dataset(links).to_table().to_pylist()]
    assert len(found) == count
    assert sorted(found) == sorted(links_by_url(one).rows)


def test_a_data_set_has_no_file_of_another_one(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "003.parquet"
    file.touch()
    for place, sentence in ((tmp_path, "has another file, 003"), (file, "cannot be a folder")):
        with pytest.raises(SettingError, match=sentence):
            answers.export_pages(folder, place, "importance", form="parquet")


@pytest.mark.parametrize("words", [
    "check", "verify", "rank", "graph stats", "audit", "links --broken", "search a", "changes --rising", "compact",
    "refresh --pages 5", "top --by voices", "top --where rank<9", "export a.csv", "export a.parquet --format csv",
    "export a.parquet --where rank<9", "graph export a.npz",
])  # fmt: skip
def test_what_one_store_is_needed_for_names_the_command(folder: Path, words: str) -> None:
    done = run(*words.split(), "--store", folder)
    assert done.exit_code in (SettingError.exit_code, StoreError.exit_code)
    assert f"'minicrawl gather {folder} crawl.db'" in done.output


@pytest.mark.parametrize("words", ["top", "status", "why http://nowhere.test/"])
def test_commands_answer(folder: Path, words: str) -> None:
    done = run(*words.split(), "--store", folder, "--json")
    assert done.exit_code in (0, SettingError.exit_code), done.output
    assert done.output.startswith(("{", "["))
