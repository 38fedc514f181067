"""Seeds whose scheme was guessed: http is tried where https finds nobody."""

from typing import Any, cast

import pytest

from minicrawl.crawler.visits.visit import SchemeGuesses

GUESSED, GIVEN = "https://a.test/", "https://b.test/"


class Web:
    """Two known pages, and what becomes known beside them."""

    def __init__(self) -> None:
        self.urls = [GUESSED, GIVEN]
        self.seeds: list[str] = []

    def find(self, urls: list[str]) -> list[int | None]:
        return [self.urls.index(url) if url in self.urls else None for url in urls]

    def url(self, page: int) -> str:
        return self.urls[page]

    def know_seeds(self, urls: list[str], now: float, at_once: int) -> list[int]:
        self.seeds += urls
        return [1]


def guesses_of(web: Web) -> SchemeGuesses:
    guesses = SchemeGuesses(cast("Any", web), cast("Any", web))
    guesses.begin([GUESSED, "https://unknown.test/"])
    return guesses


@pytest.mark.parametrize("reason", ["refused", "tls", "tls-name"])
def test_wrong_guess_makes_the_page_in_plain_http_a_seed_once(reason: str) -> None:
    web = Web()
    guesses = guesses_of(web)
    guesses.doubt(0, reason, 0.0)
    guesses.doubt(0, reason, 1.0)
    assert web.seeds == ["http://a.test/"]
    assert guesses.wrong(0) == reason


@pytest.mark.parametrize(("page", "reason"), [(0, "http-500"), (0, "dns"), (1, "refused")])
def test_other_failures_and_other_pages_change_nothing(page: int, reason: str) -> None:
    web = Web()
    guesses = guesses_of(web)
    guesses.doubt(page, reason, 0.0)
    assert (web.seeds, guesses.wrong(page)) == ([], None)
