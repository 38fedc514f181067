"""Pages that only count are told from honest numbered pages."""

from minicrawl.crawler.admission.traps.numbered_pages import PAGES, Counting


def url(number: int) -> str:
    return f"http://a.test/day/{number}"


def counted(pages: int, *, wordings: int = 1, own: bool = True) -> Counting:
    counting = Counting()
    for number in range(pages):
        counting.add_url(url(number + 1), url(number) if own else None)
        counting.add_page(number % wordings)
    return counting


def test_pages_that_count_and_say_one_thing_are_endless() -> None:
    assert counted(PAGES).is_endless
    assert not counted(PAGES - 2).is_endless


def test_pages_with_words_of_their_own_are_not() -> None:
    assert not counted(2 * PAGES, wordings=PAGES).is_endless


def test_pages_that_are_found_elsewhere_are_not() -> None:
    assert not counted(2 * PAGES, own=False).is_endless


def test_pages_that_count_to_little_are_not() -> None:
    counting = Counting()
    for number in range(10 * PAGES):
        counting.add_url(f"http://a.test/day/{number % 9 + 1}", url(number % 9))
        counting.add_page(0)
    assert not counting.is_endless


def test_too_many_wordings_are_counted_anew() -> None:
    counting = counted(PAGES + 1, wordings=PAGES + 1)
    assert (counting.pages, counting.wordings) == (0, set())


def test_what_was_counted_comes_back() -> None:
    counting = counted(PAGES)
    again = Counting.from_json(counting.to_json())
    assert again.is_endless
    assert again.to_json() == counting.to_json()
