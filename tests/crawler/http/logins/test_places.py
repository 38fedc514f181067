"""Which origins a secret is for, that is given for a host."""

import pytest

from minicrawl.crawler.http.logins.places import Place
from minicrawl.errors import SettingError

ORIGINS = (
    *(
        "https://a.test",
        "http://a.test",
        "https://a.test:444",
        "http://a.test:81",
        "https://b.a.test",
        "http://[::1]:81",
    ),
    "https://a.test.",
)


@pytest.mark.parametrize(
    ("text", "seeds", "expected"),
    [
        ("a.test", "", "https://a.test"),
        ("A.Test", "http://a.test:81 http://b.test", "https://a.test http://a.test:81"),
        ("a.test:444", "", "https://a.test:444"),
        ("a.test:81", "http://a.test http://a.test:81", "http://a.test:81"),
        ("http://a.test", "", "http://a.test"),
        ("https://a.test:444", "", "https://a.test:444"),
        ("[::1]:81", "http://[::1]:81", "http://[::1]:81"),
    ],
)
def test_a_name_alone_means_https_and_the_seeds(text: str, seeds: str, expected: str) -> None:
    place, seed_origins = Place(text, "--x"), frozenset(seeds.split())
    assert [origin for origin in ORIGINS if place.may_have_secrets(origin, seed_origins)] == expected.split()
    assert place.of(seed_origins) == {seed for seed in seed_origins if place.has(seed)}


def test_the_endpoints_of_https_are_known_beforehand() -> None:
    endpoints = {
        text: Place(text, "--x").endpoints() for text in ("a.test", "a.test:81", "http://a.test", "https://[::1]")
    }
    assert endpoints == {
        "a.test": {("a.test", 443)},
        "a.test:81": {("a.test", 81)},
        "http://a.test": set(),
        "https://[::1]": {("::1", 443)},
    }


def test_what_is_no_host_is_named_with_its_option() -> None:
    with pytest.raises(SettingError, match=r"--x a\.\.b%%=\.\.\.: 'a\.\.b%%' is no host"):
        Place("a..b%%", "--x")
