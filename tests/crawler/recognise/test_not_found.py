"""What a host answers for pages that it does not have, one origin at a time."""

from minicrawl.crawler.html.fingerprint import Vocabulary, word_hashes
from minicrawl.crawler.recognise.not_found import NotFound

FOLDER = "http://a.test/f/"
SORRY = b"sorry this page could not be found here"


def says(text: bytes) -> Vocabulary:
    return Vocabulary(word_hashes(text), 0, False)


def asked(*answers: bytes) -> NotFound:
    """Answers to probes in one folder."""
    found = NotFound(FOLDER, "", 0.0, "catch-all")
    for number, answer in enumerate(answers):
        found.add(f"{FOLDER}{'xyz'[number] * 5}", 7, says(answer))
    return found


def test_page_that_says_what_the_answers_share_is_like_them() -> None:
    found = asked(SORRY, SORRY)
    found.compare(1, f"{FOLDER}lost", 7, says(SORRY), is_there=False)
    found.compare(2, f"{FOLDER}real", 8, says(b"bread is made of flour water and salt"), is_there=False)
    assert (found.matched, found.others) == ({1}, {2})


def test_page_may_add_words_only_where_answers_differ() -> None:
    more = SORRY + b" perhaps bread"
    for answers, is_like in (((SORRY, SORRY), False), ((SORRY + b" salt", SORRY + b" water"), True)):
        found = asked(*answers)
        found.compare(1, f"{FOLDER}lost", 9, says(more), is_there=False)
        assert bool(found.matched) is is_like


def test_pages_are_soft_404s_where_enough_others_are_none() -> None:
    found = asked(SORRY, SORRY)
    found.compare(1, f"{FOLDER}lost", 7, says(SORRY), is_there=False)
    found.judge()
    assert found.verdict == "catch-all"
    for page in (2, 3):
        found.compare(page, f"{FOLDER}real{page}", page, says(b"bread is made of flour"), is_there=False)
    found.judge()
    assert found.verdict == "soft-404"


def test_store_gives_back_what_it_was_given() -> None:
    found = asked(SORRY + b" salt", SORRY + b" water")
    found.compare(1, f"{FOLDER}lost", 9, says(SORRY), is_there=False)
    found.compare(2, f"{FOLDER}real", 8, says(b"bread is made of flour"), is_there=True)
    assert NotFound.of(found.row()).row() == found.row()
