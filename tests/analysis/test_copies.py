"""Pages that carry the text of a page, against the words that they have in common."""

import random
from pathlib import Path

import pytest
from support.sites import Site, crawl

from minicrawl.analysis.copies import copies
from minicrawl.crawler.html.fingerprint import text_of
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
WORDS = [f"word{number}" for number in range(5000)]


def article(rng: random.Random, count: int = 400) -> list[str]:
    return rng.choices(WORDS, k=count)


def page(words: list[str], more: str = "") -> list[str]:
    return [f"<title>x</title><p>{' '.join(words)}</p>{more}"]


@pytest.fixture(scope="module")
def articles() -> dict[str, list[str]]:
    """By path; b is a with a sixteenth of its words at the end replaced, c with half of them, d another one."""
    rng = random.Random(3)
    news = article(rng)
    return {
        "d": article(rng),
        "a": news,
        "b": [*news[:375], *article(rng, 25)],
        "c": [*news[:200], *article(rng, 200)],
        "same": news,
    }


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, articles: dict[str, list[str]]) -> Path:
    """b is read before a, and the others after it."""
    links = "".join(f"<a href=/{path}>{path}</a>" for path in ("b", "a", "c", "d", "same", "short"))
    site: Site = {HOME: [f"<title>home</title>{links}"], HOME + "short": ["<p>hardly anything"]}
    site |= {HOME + path: page(words) for path, words in articles.items()}
    path = tmp_path_factory.mktemp("copies") / "crawl.db"
    crawl(site, path, [HOME], strategy="breadth-first", probe=False)
    return path


def in_common(one: list[str], other: list[str]) -> float:
    """The share of all runs of three words in either that are in both."""
    a, b = ({tuple(words[at : at + 3]) for at in range(len(words) - 2)} for words in (one, other))
    return len(a & b) / len(a | b)


def test_copies_are_those_with_most_runs_of_words_in_common(store: Path, articles: dict[str, list[str]]) -> None:
    assert b"word" in text_of(page(articles["a"])[0].encode())
    with open_store(store) as reader:
        found = copies(reader, HOME + "a", 0.8)
    by_path = {copy.url.removeprefix(HOME): copy for copy in found}
    expected = {path for path in ("b", "c", "d", "same") if in_common(articles["a"], articles[path]) >= 0.8}
    assert set(by_path) == expected == {"b", "same"}
    assert by_path["same"].alike == 1.0
    assert by_path["b"].alike == pytest.approx(in_common(articles["a"], articles["b"]), abs=0.08)
    assert (by_path["b"].is_later, by_path["same"].is_later) == (False, True)
    assert by_path["b"].after <= 0 <= by_path["same"].after


def test_what_was_first_is_turned_round_for_the_other_page(store: Path) -> None:
    with open_store(store) as reader:
        assert {copy.url: copy.is_later for copy in copies(reader, HOME + "b", 0.8)} == {
            HOME + "a": True,
            HOME + "same": True,
        }


def test_a_page_like_no_other_has_no_copies(store: Path) -> None:
    with open_store(store) as reader:
        assert copies(reader, HOME + "d", 0.6) == []


def test_what_cannot_be_compared_is_refused(store: Path) -> None:
    with open_store(store) as reader:
        with pytest.raises(SettingError, match=r"http://b\.test/ has no text to be told by"):
            copies(reader, "http://b.test/")
        with pytest.raises(SettingError, match=r"--alike must be 0\.6 to 1, not 0\.3"):
            copies(reader, HOME + "a", 0.3)
