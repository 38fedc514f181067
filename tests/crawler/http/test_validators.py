"""Validators come out of their packed form byte for byte, whatever they are."""

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.http.response_fields import LONGEST_VALIDATOR
from minicrawl.crawler.http.validators import Validators, unpacked
from minicrawl.model import Fetched

MD5 = "d41d8cd98f00b204e9800998ecf8427e"
DATE = "Sat, 21 Nov 2026 08:00:00 GMT"

any_text = st.text(st.characters(max_codepoint=0xFF), min_size=1, max_size=LONGEST_VALIDATOR)
prefixes, ends = st.sampled_from(["", "W/", "w/"]), st.sampled_from(['"', '-gzip"', ';\xe9"', ""])
etags = st.builds('{}"{}{}'.format, prefixes, st.text("0123456789abcdefABCDEF-", max_size=80), ends)
dates = st.integers(-(2**33), 2**33).map(lambda seconds: formatdate(seconds, usegmt=True))
wrong = st.text("0123456789 +-_:aN", min_size=1, max_size=1)
odd_dates = st.builds(lambda at, by: DATE[:at] + by + DATE[at + 1 :], st.integers(0, 28), wrong)


@given(st.none() | any_text | etags, st.none() | any_text | dates | odd_dates)
def test_validators_are_unpacked_as_they_came(etag: str | None, last_modified: str | None) -> None:
    validators = Validators(etag, last_modified)
    packed = validators.packed()
    assert unpacked(packed) == validators
    assert (packed is None) == (validators == Validators())
    assert len(packed or b"") <= 5 + len(etag or "") + len(last_modified or "")


@pytest.mark.parametrize(
    ("etag", "last_modified", "size"),
    [
        ('"5f2b1c3d-1f4"', DATE, 12),
        ('W/"5f2b1c3d-1f4"', DATE, 12),
        ('"1f4-5f2b1c3d4e5f6"', DATE, 14),
        ('"1f4-5f2b1c3d4e5f6-gzip"', DATE, 20),
        (f'"{MD5}"', None, 18),
        ('"123e4567-e89b-12d3-a456-426614174000"', None, 20),
        (None, DATE, 5),
    ],
)
def test_those_of_usual_servers_take_few_bytes(etag: str | None, last_modified: str | None, size: int) -> None:
    assert len(Validators(etag, last_modified).packed() or b"") == size


def test_only_a_complete_page_has_any_and_what_no_server_can_have_sent_is_dropped() -> None:
    page = Fetched("http://a.test/", status=200, etag='"v"', last_modified="")
    assert Validators.of(page) == Validators('"v"', None)
    assert Validators.of(page._replace(truncated=True)) == Validators()
    assert Validators.of(page._replace(status=301)) == Validators()
    assert Validators('"\u20ac"', DATE).packed() is None
