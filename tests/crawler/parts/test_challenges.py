"""What hosts that refuse a page ask for, as `why` tells it."""

from pathlib import Path

import httpx
import pytest
from support.command_line import answer, run
from support.sites import rows
from support.skipping import run as run_skipping

from minicrawl.api import acrawl

HOME = "http://a.test/"
CHALLENGES = {
    401: [("WWW-Authenticate", 'Basic realm="x"'), ("WWW-Authenticate", "Bearer")],
    403: [("Accept-Signature", 'sig1=("@authority");tag="web-bot-auth"'), ("cf-mitigated", "challenge")],
    429: [("X-Amzn-Waf-Action", "captcha\x1b[2J" + "x" * 999)],
}


def crawled(store: Path, status: int, fields: list[tuple[str, str]] | list[tuple[bytes, bytes]]) -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(status, headers=fields))
    run_skipping(acrawl([HOME], store, transport=transport, delay=0, retry=["all"], ignore_robots=True), grace=0.0)


def lines_of(store: Path) -> list[str]:
    """The lines of the challenge in `why`, as the terminal shows them."""
    told = run("why", HOME, "--store", store).stdout.splitlines()
    return [line for line in told if "it asks for" in line]


def test_each_field_is_told_with_what_it_asks_for(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawled(store, 401, CHALLENGES[401])
    assert lines_of(store) == [
        '  challenge   it asks for a login (--auth, --header): WWW-Authenticate: Basic realm="x", Bearer'
    ]
    crawled(store, 403, CHALLENGES[403])
    assert lines_of(store) == [
        '  challenge   it asks for signed requests (--sign): Accept-Signature: sig1=("@authority");tag="web-bot-auth"',
        "              it asks for a browser, or a person: Cf-Mitigated: challenge",
    ]


def test_no_more_is_kept_of_a_field_than_people_read(tmp_path: Path) -> None:
    crawled(store := tmp_path / "crawl.db", 429, CHALLENGES[429])
    (line,) = lines_of(store)
    assert "\x1b" not in line
    ((kept,),) = rows(store, "SELECT fields FROM challenges")
    assert len(kept) == 300


@pytest.mark.parametrize("status", [200, 403])
def test_challenge_goes_with_the_answer_that_has_none(status: int, tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawled(store, 403, CHALLENGES[403])
    assert len(answer("why", HOME, "--store", store)["challenge"]) == 2
    crawled(store, status, [])
    assert answer("why", HOME, "--store", store)["challenge"] == []
