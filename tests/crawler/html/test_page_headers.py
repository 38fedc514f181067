"""Robots directives, and canonical URLs and languages in the header field Link."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.html.page_headers import MAX_ALTERNATES, Directives, canonicals, languages, read_directives

DIRECTIVES = {
    "empty": ("", True, True),
    "nofollow": ("nofollow", False, True),
    "noindex": ("noindex", True, False),
    "none": ("NONE", False, False),
    "list": (" noindex ,nofollow ", False, False),
    "other-robot": ("otherbot: none", True, True),
    "other-robot-holds-for-the-list": ("otherbot: noindex, nofollow", True, True),
    "us": ("minicrawl: none", False, False),
    "us-in-any-case": ("MiniCrawl: nofollow", False, True),
    "us-after-other": ("otherbot: none, minicrawl: nofollow", False, True),
    "other-after-us": ("minicrawl: nofollow, otherbot: noindex", False, True),
    "all-before-other": ("noindex, otherbot: nofollow", True, False),
    "positive": ("index, follow", True, True),
    "everybody": ("*: nofollow", False, True),
    "word-parts": ("nofollows, xnone", True, True),
    "behind-max-snippet": ("max-snippet:50, nofollow", False, True),
    "behind-max-image-preview": ("max-image-preview:large, noindex", True, False),
    "behind-a-date": ("unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", True, False),
}


@pytest.mark.parametrize(("directives", "follow", "index"), DIRECTIVES.values(), ids=DIRECTIVES.keys())
def test_directive_lists_are_read_per_robot(directives: str, follow: bool, index: bool) -> None:
    found = read_directives(directives)
    assert (found.follow, found.index) == (follow, index)


@pytest.mark.parametrize(
    ("directives", "archive"),
    [
        ("noarchive", False),
        ("noindex, NOARCHIVE", False),
        ("minicrawl: noarchive", False),
        ("otherbot: noarchive", True),
        ("none", True),  # stands for noindex and nofollow alone
        ("nocache, noarchives", True),
    ],
)
def test_copies_are_forbidden_by_noarchive_alone(directives: str, archive: bool) -> None:
    assert read_directives(directives).archive is archive


@pytest.mark.parametrize(
    ("directives", "on_use"),
    [
        ("noindex", ()),
        ("noai", ("noai",)),
        ("NoImageAI, NOAI", ("noai", "noimageai")),
        ("otherbot: noai, noimageai", ()),
        ("otherbot: noindex, minicrawl: noai", ("noai",)),
        ("otherbot: noai\nnoimageai", ("noimageai",)),
        ("noais, none", ()),
    ],
)
def test_directives_about_models(directives: str, on_use: tuple[str, ...]) -> None:
    found = read_directives(directives)
    assert found.on_use == on_use
    assert found.and_(Directives(on_use=("noai",))).on_use == tuple(dict.fromkeys((*on_use, "noai")))


def test_both_must_allow_it() -> None:
    one, other = Directives(follow=False), Directives(archive=False)
    assert one.and_(other) == other.and_(one) == Directives(follow=False, archive=False)


URL = "http://h.test/folder/page"
VALUES = {
    "usual": ('<http://h.test/x>; rel="canonical"', ["http://h.test/x"]),
    "token, relative": ("<x>;rel=canonical", ["http://h.test/folder/x"]),
    "case, other relations": ('</x> ; REL = "alternate Canonical"', ["http://h.test/x"]),
    "second of two links": ('</a>; rel="next", </b>; rel=canonical', ["http://h.test/b"]),
    "comma and quote within": (r'</a,b>; title="a, \"b\"; c"; rel=canonical', ["http://h.test/a,b"]),
    "first rel counts": ("</a>; rel=next; rel=canonical", []),
    "of another page": ('</a>; rel=canonical; anchor="/other"', []),
    "two that differ": ("</a>; rel=canonical, </b>; rel=canonical", ["http://h.test/a", "http://h.test/b"]),
    "twice the same": ("</a>; rel=canonical, </a>; rel=canonical", ["http://h.test/a"]),
    "no http": ("<mailto:a@b>; rel=canonical", []),
    "not closed": ("</a; rel=canonical", []),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("value", "expected"), VALUES.values(), ids=VALUES.keys())
def test_value_says(value: str, expected: list[str]) -> None:
    assert canonicals(value, URL) == expected


LANGUAGES = {
    "as search engines want them": (
        '<http://h.test/de>; rel="alternate"; hreflang="de", <http://h.test/>; rel="alternate"; hreflang="x-default"',
        "de=http://h.test/de x-default=http://h.test/",
    ),
    "token, relative, case": ("</br>;HREFLANG=pt-BR;Rel=Alternate", "pt-BR=http://h.test/br"),
    "the first of two": ("</a>; rel=alternate; hreflang=de; hreflang=fr", "de=http://h.test/a"),
    "no language": ('</a>; rel=alternate, </b>; rel=alternate; hreflang=""', ""),
    "no tag, but a word": ('</a>; rel=alternate; hreflang="en_GB"', "en_GB=http://h.test/a"),
    "no tag": ('</a>; rel=alternate; hreflang="d e"', ""),
    "of another relation": ("</a>; rel=next; hreflang=de", ""),
    "of another page": ('</a>; rel=alternate; hreflang=de; anchor="/other"', ""),
    "no http": ("<mailto:a@b>; rel=alternate; hreflang=de", ""),
}


@pytest.mark.parametrize(("value", "expected"), LANGUAGES.values(), ids=LANGUAGES.keys())
def test_value_names_languages(value: str, expected: str) -> None:
    assert " ".join(f"{language}={url}" for language, url in languages(value, URL)) == expected


def test_no_more_languages_are_read_than_of_a_page() -> None:
    value = ", ".join(f"</{number}>; rel=alternate; hreflang=de" for number in range(MAX_ALTERNATES + 9))
    assert [url for _, url in languages(value, URL)] == [f"http://h.test/{number}" for number in range(MAX_ALTERNATES)]


@given(st.text('<>;,=" \\relcanonicalthfg/', max_size=60))
def test_any_value_is_read(value: str) -> None:
    assert all(url.startswith("http://") for url in canonicals(value, URL))
    assert all(url.startswith("http://") and " " not in language for language, url in languages(value, URL))
