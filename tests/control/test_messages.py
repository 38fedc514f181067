"""A message is one line, and what is none is told in one sentence."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.control.messages import LONGEST, answer_of, done, failed, line_of, message_of, parts
from minicrawl.errors import ConfigError, CrawlEndedError, MinicrawlError, SeedError, StoreError

_VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), _VALUES))
def test_a_message_comes_out_as_it_went_in(message: dict[str, Any]) -> None:
    line = line_of(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert message_of(line) == message


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_one_sentence(line: bytes) -> None:
    with contextlib.suppress(ConfigError):
        assert isinstance(message_of(line), dict)


@pytest.mark.parametrize("line", [b"\n", b"[]\n", b"{\n", b"\xff\n", b"[" * 100_000, b"1" * 5000])
def test_what_is_no_object_is_told(line: bytes) -> None:
    with pytest.raises(ConfigError, match="a JSON object on a line of its own"):
        message_of(line)


@pytest.mark.parametrize("kind", [ConfigError, StoreError, CrawlEndedError])
def test_an_error_comes_over_the_line_with_its_exit_code(kind: type[MinicrawlError]) -> None:
    with pytest.raises(kind, match="it is wrong"):
        answer_of(message_of(line_of(failed(kind("it is wrong")))))


def test_an_answer_comes_over_the_line() -> None:
    assert answer_of(message_of(line_of(done({"new": 3})))) == {"new": 3}


@pytest.mark.parametrize("answer", [{}, {"done": 1}, {"failed": 1}, {"do": "pause"}])
def test_what_does_not_answer_as_a_crawl_does_is_told(answer: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match="does not answer as a crawl does"):
        answer_of(answer)


@given(st.lists(st.text(max_size=20_000), max_size=40, unique=True), st.data())
def test_seeds_are_parted_into_lines_that_are_short_enough(urls: list[str], data: st.DataObject) -> None:
    guessed = frozenset(data.draw(st.sets(st.sampled_from(urls)))) if urls else frozenset[str]()
    messages = parts(urls, guessed)
    assert all(len(line_of(message)) <= LONGEST for message in messages)
    assert [url for message in messages for url in message["urls"]] == urls
    assert {url for message in messages for url in message["guessed"]} == guessed


def test_many_seeds_take_few_messages_and_one_that_is_too_long_is_told() -> None:
    urls = [f"https://example.org/{number}" for number in range(100_000)]
    assert len(parts(urls, frozenset(urls))) < 1.2 * 2 * len(json.dumps(urls)) / LONGEST
    with pytest.raises(SeedError, match="a URL of 300,000 characters is too long"):
        parts(["x" * 300_000], frozenset())
