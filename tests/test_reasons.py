"""The table of reason codes: which codes stand in which column, and how columns agree."""

import re
from pathlib import Path

import pytest

import minicrawl
from minicrawl.reasons import (
    EXPLAINED,
    LASTS,
    NO_HOST,
    NO_HTTPS,
    NO_PAGE,
    NOT_THERE,
    OF_ROBOTS,
    OURS,
    PASSES,
    REASONS,
    REFUSES,
    RESTS,
    SILENT,
    STATUSES,
    STRAINS,
    TRANSIENT,
    codes,
    has,
    meaning,
    statuses,
)

TLS = {"tls", "tls-authority", "tls-expired", "tls-name"}
UNCONNECTED = {"refused", "connect", "connection", "reset", "timeout-connect"}
UNANSWERED = UNCONNECTED | {"timeout", "timeout-read", "dns-unanswered"}
UNSAID = {"parser-failed", "worker-died", "not-archived", "host-banned", "host-pages", "proxy", "private-address"}
EXPECTED = {
    TRANSIENT: UNANSWERED | {"proxy", "proxy-refused", "bad-response", "worker-died", "render-crashed"},
    STRAINS: UNANSWERED,
    RESTS: set(),
    SILENT: UNANSWERED | TLS | {"dns", "private-address"},
    NO_HTTPS: UNCONNECTED | TLS,
    NOT_THERE: {"dns"},
    OURS: TLS | {"dns", "dns-unanswered", "private-address", "connect", "refused", "proxy"},
    PASSES: {"host-dead", "robots-unreachable"},
    OF_ROBOTS: {"undecodable", "bad-url", "too-large"},
    LASTS: TLS | {"dns", "private-address", "bad-port", "bad-url", "parser-failed"},
    NO_HOST: {"worker-died", "proxy"},
    NO_PAGE: UNSAID | {code for code in REASONS if code.startswith(("trap-", "render-"))},
    REFUSES: set(),
    EXPLAINED: TLS | {"dns", "dns-unanswered", "private-address", "parser-failed"},
}
OF_STATUSES = {
    TRANSIENT: {408, 425, 429, *range(500, 1000)},
    STRAINS: {429, 502, 503, 504},
    RESTS: {429, 503},
    NOT_THERE: {404, 410},
    REFUSES: {401, 402, 403, 405, 406, 407, 451, 999},
}


@pytest.mark.parametrize("column", EXPECTED)
def test_each_column_has_its_codes_and_no_other(column: int) -> None:
    assert {code for code in REASONS if has(code, column)} == EXPECTED[column]
    expected = OF_STATUSES.get(column, set())
    assert {status for status in range(100, 1200) if has(f"http-{status}", column)} == expected
    assert statuses(column) == expected & STATUSES.keys()
    assert {*codes(column)} == EXPECTED[column] | {f"http-{status}" for status in expected & STATUSES.keys()}


@pytest.mark.parametrize("reason", ["", "ok", "http-", "http-x", "http--5", "redirect-404", "503", "tls-", "nonsense"])
def test_what_is_no_failure_is_in_no_column(reason: str) -> None:
    assert [column for column in EXPECTED if has(reason, column)] == []


def test_columns_agree() -> None:
    """What strains a host is tried again, and may come of a lost network; what lasts is not tried again."""
    assert EXPECTED[STRAINS] <= EXPECTED[TRANSIENT] & EXPECTED[SILENT]
    assert not EXPECTED[LASTS] & EXPECTED[TRANSIENT]
    assert OF_STATUSES[RESTS] <= OF_STATUSES[STRAINS] <= OF_STATUSES[TRANSIENT]


def test_every_row_has_a_sentence() -> None:
    assert [code for code in REASONS if not meaning(code)] == []


def test_views_of_the_store_know_what_is_not_there() -> None:
    views = (Path(minicrawl.__file__).parent / "store" / "views.sql").read_text("utf-8")
    lists = [set(re.findall(r"'([\w-]+)'", found)) for found in re.findall(r"reason IN \(([^()]*)\)", views)]
    assert lists == [set(codes(NOT_THERE))] * 2
