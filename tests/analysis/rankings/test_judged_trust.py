"""TrustRank by judgement, against networkx and the formula of spam mass in plain loops."""

from pathlib import Path

import networkx
import pytest
from support.sites import Site, crawl

from minicrawl.analysis.rankings.judged_trust import Judged, candidates, judged_trust, read_judgement
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store

GOOD, FARM = "http://good.test/", "http://farm.test/"
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
SITE: Site = {
    GOOD: [GOOD + "a", GOOD + "b", GOOD + "old", FARM],
    GOOD + "a": [GOOD, GOOD + "b"],
    GOOD + "b": [GOOD],
    GOOD + "old": GOOD + "a",
    FARM: [FARM + word for word in WORDS],
    **{FARM + word: [FARM] for word in WORDS},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trust") / "crawl.db"
    crawl(SITE, path, [GOOD])
    return path


def graph() -> "networkx.DiGraph[str]":
    """By hand: /old is /a, to which the front page links once."""
    pages = {url: links for url, links in SITE.items() if isinstance(links, list)}
    links = [(url, GOOD + "a" if to == GOOD + "old" else to) for url, out in pages.items() for to in out]
    return networkx.DiGraph(links)


def walks(start: dict[str, float]) -> dict[str, float]:
    """y = A y + p, as the sum of all powers of A: no page here is dangling."""
    total, going = dict(start), start
    for _ in range(400):
        step: dict[str, float] = {}
        for url, walkers in going.items():
            for _, target in graph().out_edges(url):
                step[target] = step.get(target, 0.0) + 0.85 * walkers / graph().out_degree(url)
        going = step
        for url, walkers in step.items():
            total[url] = total.get(url, 0.0) + walkers
    return total


def found(store: Path, judgement: dict[str, bool], n: int = 5) -> Judged:
    with open_store(store) as reader:
        return judged_trust(reader, judgement, n, good_share=0.5, least_rank=3.0)


def by_url(store: Path, judged: Judged, kind: str) -> dict[str, float]:
    with open_store(store) as reader:
        values = dict(zip(reader.page_table.urls(), judged.rankings.values[kind].tolist(), strict=True))
    del values[GOOD + "old"]
    return values


def test_candidates_are_the_pages_that_lead_to_most(store: Path) -> None:
    inverse = networkx.pagerank(graph().reverse(), tol=1e-14, max_iter=2000)
    with open_store(store) as reader:
        first = candidates(reader, 4)
    assert [page.url for page in first] == sorted(inverse, key=lambda url: -inverse[url])[:4]
    assert [page.inverse for page in first] == pytest.approx([inverse[page.url] for page in first], abs=1e-10)


def test_trust_and_what_is_owed_to_the_good_pages(store: Path) -> None:
    """Judged by an alias, too. A page that is not known is no good page."""
    judged = found(store, {GOOD: True, GOOD + "old": True, FARM: False, "http://unknown.test/": True})
    assert (judged.good, judged.bad) == (2, 1)
    good = {GOOD: 0.5, GOOD + "a": 0.5}
    trust = networkx.pagerank(graph(), personalization=good, tol=1e-14, max_iter=2000)
    assert by_url(store, judged, "trust") == pytest.approx(trust, abs=1e-10)
    pages = list(graph())
    ranks = networkx.pagerank(graph(), tol=1e-14, max_iter=2000)
    relative = {page: trust[page] / ranks[page] for page in pages}
    assert by_url(store, judged, "relative") == pytest.approx(relative, abs=1e-8)
    from_good, from_all = walks(good), walks(dict.fromkeys(pages, 1.0))
    share = {page: 1 - 0.5 * from_good[page] / (from_all[page] / len(pages)) for page in pages}
    assert by_url(store, judged, "mass") == pytest.approx(share, abs=1e-8)


def test_suspects_have_high_rank_and_little_of_it_from_good_pages(store: Path) -> None:
    (suspect,) = found(store, {GOOD: True}).suspects
    assert suspect.page.url == FARM
    assert suspect.rank >= 3
    assert suspect.mass > 0.5


def test_nothing_good_is_refused(store: Path) -> None:
    for judgement in ({}, {GOOD: False}, {"http://unknown.test/": True}):
        with pytest.raises(SettingError, match="put yes into the column good"):
            found(store, judgement)


def test_judgement_is_read_in_any_spelling_and_blanks_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "judge.csv").write_text(
        "\ufeffurl,title,inverse,good\na,T,.1,Yes\nb,,.1, NO \nc,,.1,\nd,,.1,spam\ne,,,1\n"
    )
    assert read_judgement(tmp_path / "judge.csv") == {"a": True, "b": False, "d": False, "e": True}


def test_judgement_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"judge.csv cannot be read: No such file or directory; name another file"):
        read_judgement(tmp_path / "judge.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [("url,good\na,perhaps\n", "line 2: good is yes or no, or empty, not 'perhaps'"), ("url\na\n", "lacks the column")],
)
def test_judgement_that_cannot_be_read_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "judge.csv").write_text(text)
    with pytest.raises(SettingError, match=message):
        read_judgement(tmp_path / "judge.csv")
