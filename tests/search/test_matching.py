"""Which pages a query finds, and what is shown of them."""

from pathlib import Path

import pytest
from support.searching import found, indexed, page, urls

HOST = "http://a.test/"
TEXTS = {
    "phrase": page("Groups", "A task group waits for its tasks. See mod_rewrite."),
    "apart": page("Tasks", "This group has a task."),
    "titled": page("Task group", "Something else altogether"),
    "german": ["<html lang=de-AT><title>Häuser</title><p>Viele große Häuser am Fluß"],
    "chinese": ["<html lang=zh><title>内核</title><p>关于操作系统内核的文档"],
    "signs": page("Languages", "We write C++ and C#, not C."),
    "plain": page("Letters", "We write C, and rewrite mod"),
    "cafe": page("Café", "crème brûlée"),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = {f"{HOST}{name}": text for name, text in TEXTS.items()}
    return indexed(site, tmp_path_factory.mktemp("matching") / "crawl.db")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("task group", {"phrase", "apart", "titled"}),
        ('"task group"', {"phrase", "titled"}),
        ('"task groups" waiting', {"phrase", "titled"}),
        ("task -group", set()),
        ('task -"task group"', {"apart"}),
        ("task -intitle:group", {"apart"}),
        ("intitle:task group", {"apart", "titled"}),
        ("mod_rewrite", {"phrase"}),
        ("c++", {"signs"}),
        ("c#", {"signs"}),
        ("haus", {"german"}),
        ("fluss lang:de", {"german"}),
        ("操作系统", {"chinese"}),
        ("系操", set()),
        ("creme brulee", {"cafe"}),
        ("signs", {"signs"}),
        ("zebra", set()),
        ("x" * 10_000, set()),
    ],
)
def test_query_finds(store: Path, query: str, names: set[str]) -> None:
    assert {url.removeprefix(HOST) for url in urls(store, query)} == names


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tasks", "A *task* group waits for its *tasks*. See mod_rewrite"),
        ("c++", "We write *C++* and C#, not C"),
        ("haus", "Viele große *Häuser* am Fluß"),
        ("系统", "关于操作*系**统*内核的文档"),
        ("altogether", "Something else *altogether*"),
    ],
)
def test_snippet_marks_the_words(store: Path, query: str, expected: str) -> None:
    assert expected in [page.snippet.marked("*", "*") for page in found(store, query).pages]


def test_snippet_is_the_part_with_the_words_without_signs_of_permalinks(tmp_path: Path) -> None:
    filler = " ".join(f"filler{i}" for i in range(2_000))
    heading = f'<h2>Zebras<a href="#z">¶</a></h2><p>{filler} a zebra at last {filler}</p>'
    store = indexed({HOST: [f"<title>T</title>{heading}"]}, tmp_path / "crawl.db")
    first, last = (found(store, query).pages[0].snippet for query in ("zebras", "at last"))
    assert first.marked("*", "*").startswith("*Zebras* filler0")
    assert "*at* *last*" in last.marked("*", "*")
    assert len(last.text) <= 250
    (begin,) = found(store, "intitle:t").pages
    assert begin.snippet.marks == ()
    assert begin.snippet.text.startswith("Zebras filler0 ")
