"""Rules for hosts, by the names that hosts have in a crawl."""

import pytest

from minicrawl.crawler.urls.host_rules import by_host
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.crawler.urls.normalise import normalise


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("A.test", "https://a.test/x"),
        ("a.test:443", "https://a.test/x"),
        ("a.test:80", "http://a.test/x"),
        ("a.test:8080", "http://a.test:8080/x"),
        ("bücher.test", "https://xn--bcher-kva.test/"),
        ("a.test.", "http://a.test/"),
        ("[::1]:8080", "http://[::1]:8080/"),
    ],
)
def test_a_host_is_found_as_its_urls_name_it(written: str, url: str) -> None:
    normalised = normalise(url)
    assert normalised is not None
    assert by_host([(written, 7)]) == {politeness_key(normalised): 7}


def test_the_first_rule_of_a_host_counts() -> None:
    assert by_host([("a.test", 1), ("A.test:80", 2), ("b.test", 3)]) == {"a.test": 1, "b.test": 3}
