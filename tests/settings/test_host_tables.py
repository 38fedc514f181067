"""What files say of single hosts, as settings of the crawl."""

import re

import pytest

from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings
from minicrawl.settings.host_tables import host_settings


def test_each_key_becomes_the_setting_that_says_so() -> None:
    keys = {"delay": 5, "header": ["A: 1", "B: 2"], "refresh": "1h", "auth": "me:hush"}
    found = host_settings([{"Example.org": keys}])
    assert found == {
        "host_delay": ("example.org=5",),
        "header": ("example.org=A: 1", "example.org=B: 2"),
        "refresh_rule": (r"^https?://example\.org[:/]=1h",),
        "auth": ("example.org=me:hush",),
    }
    settings = CrawlSettings.of(found)
    assert [header.host for header in settings.headers] == ["example.org"] * 2


@pytest.mark.parametrize(
    ("url", "is_meant"),
    [
        ("http://example.org/", True),
        ("https://example.org:8080/a", True),
        ("https://www.example.org/", False),
        ("https://example.org.evil.test/", False),
        ("https://exampleXorg/", False),
        ("https://a.test/https://example.org/", False),
    ],
)
def test_a_host_is_refreshed_by_its_own_rule_and_no_other_host_is(url: str, is_meant: bool) -> None:
    (rule,) = host_settings([{"example.org": {"refresh": "never"}}])["refresh_rule"]
    assert (re.search(rule.rpartition("=")[0], url) is not None) == is_meant


def test_the_first_file_counts_for_each_key_of_a_host() -> None:
    first = {"a.test": {"delay": "1s"}}
    second = {"A.test": {"delay": "2s", "refresh": "1d"}, "b.test": {"delay": "3s"}}
    found = host_settings([first, second])
    assert found["host_delay"] == ("a.test=1s", "b.test=3s")
    assert found["refresh_rule"] == (r"^https?://a\.test[:/]=1d",)


MISTAKES = {
    "another setting": ({"a.test": {"max-size": "1MB"}}, r"max-size cannot be set for one host: only delay, header"),
    "unknown": ({"a.test": {"delya": 1}}, r"has no option 'delya'; did you mean 'delay'\?"),
    "like none": ({"a.test": {"zzz": 1}}, r"has no option 'zzz'; there are delay, header, auth and refresh"),
    "no quotes": ({"a": {"test": {"delay": 1}}}, r"\[host.a.test\]: the name of a host stands in quotes"),
    "no table": ({"a.test": 5}, r'\[host."a.test"\] is a table with'),
    "wrong type": ({"a.test": {"delay": True}}, r"delay cannot be True"),
    "a list of delays": ({"a.test": {"delay": [1]}}, r"delay cannot be \[1\]"),
    "no time": ({"a.test": {"delay": "soon"}}, r"--host-delay: a time is a number"),
    "no host": ({"a b": {"delay": 1}}, r"--host-delay takes HOST=TIME"),
    "no header": ({"a.test": {"header": "x"}}, r"--header takes"),
    "numbers for headers": ({"a.test": {"header": [1]}}, r"--header"),
    "no refresh": ({"a.test": {"refresh": "0s"}}, r"--refresh-rule takes"),
}


@pytest.mark.parametrize(("hosts", "sentence"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake_is_one_sentence(hosts: dict[str, object], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        host_settings([hosts])
