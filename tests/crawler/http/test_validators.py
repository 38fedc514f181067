"""Validators come out of their packed form byte for byte, whatever they are."""

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.http.response_fields import LONGEST_VALIDATOR, Validators, unpacked
from minicrawl.model import Fetched

DATE = "Sat, 21 Nov 2026 08:00:00 GMT"

any_text = st.text(st.characters(min_codepoint=1, max_codepoint=0xFF), min_size=1, max_size=LONGEST_VALIDATOR)


@given(st.none() | any_text, st.none() | any_text)
def test_validators_are_unpacked_as_they_came(etag: str | None, last_modified: str | None) -> None:
    validators = Validators(etag, last_modified)
    packed = validators.packed()
    assert unpacked(packed) == validators
    assert (packed is None) == (validators == Validators())


def test_only_a_complete_page_has_any_and_what_no_server_can_have_sent_is_dropped() -> None:
    page = Fetched("http://a.test/", status=200, etag='"v"', last_modified="")
    assert Validators.of(page) == Validators('"v"', None)
    assert Validators.of(page._replace(truncated=True)) == Validators()
    assert Validators.of(page._replace(status=301)) == Validators()
    assert Validators('"\u20ac"', DATE).packed() is None
