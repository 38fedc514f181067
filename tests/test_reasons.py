"""The table of reason codes: which codes stand in which column, and how columns agree."""

import re
from pathlib import Path

import pytest

import minicrawl
from minicrawl import reasons
from minicrawl.reasons import REASONS, STATUSES, codes, has, meaning, statuses

TLS = {"tls", "tls-authority", "tls-expired", "tls-name"}
UNCONNECTED = {"refused", "connect", "connection", "reset", "timeout-connect"}
UNANSWERED = UNCONNECTED | {"timeout", "timeout-read", "dns-unanswered"}
UNSAID = {"parser-failed", "worker-died", "not-archived", "host-banned", "host-pages", "proxy", "private-address"}
UNSAID |= {"makes-host-ill", "session-lost", "earlier-version"}
BROKEN_OFF = {"connection", "reset", "timeout", "timeout-read"}
EXPECTED = {
    reasons.TRANSIENT: UNANSWERED | {"proxy", "proxy-refused", "bad-response", "worker-died", "render-crashed"},
    reasons.OF_HOST: (UNANSWERED - BROKEN_OFF) | TLS | {"dns"},
    reasons.EITHER: BROKEN_OFF | {"bad-response", "cut"},
    reasons.SILENT: UNANSWERED | TLS | {"dns", "private-address"},
    reasons.NO_HTTPS: UNCONNECTED | TLS,
    reasons.NOT_THERE: {"dns"},
    reasons.NEXT_RUN: TLS
    | {"dns", "private-address", "makes-host-ill", "robots-unreachable", "session-lost", "earlier-version"},
    reasons.OF_ROBOTS: {"undecodable", "bad-url", "too-large"},
    reasons.LASTS: TLS | {"dns", "private-address", "bad-port", "bad-url", "parser-failed"},
    reasons.NO_HOST: {"worker-died", "proxy", "session-lost"},
    reasons.NO_PAGE: UNSAID | {"too-long"} | {code for code in REASONS if code.startswith(("trap-", "render-"))},
    reasons.REFUSES: set(),
    reasons.EXPLAINED: TLS | {"dns", "dns-unanswered", "private-address", "parser-failed"},
}
OF_STATUSES = {
    reasons.TRANSIENT: {408, 425, 429, *range(500, 1000)},
    reasons.OF_HOST: {429},
    reasons.EITHER: {*range(400, 1000)} - {404, 410, 429},
    reasons.NOT_THERE: {404, 410},
    reasons.REFUSES: {401, 402, 403, 405, 406, 407, 451, 999},
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
    """What speaks of a host may come of a lost network, and needs no witness; what lasts is not tried again."""
    assert EXPECTED[reasons.OF_HOST] <= EXPECTED[reasons.SILENT]
    assert not EXPECTED[reasons.OF_HOST] & EXPECTED[reasons.EITHER]
    assert not OF_STATUSES[reasons.OF_HOST] & OF_STATUSES[reasons.EITHER]
    assert not (EXPECTED[reasons.LASTS] | EXPECTED[reasons.NEXT_RUN]) & EXPECTED[reasons.TRANSIENT]


def test_every_column_of_the_table_is_expected() -> None:
    used = [*(reason.columns for reason in REASONS.values()), *STATUSES.values()]
    assert [columns for columns in used if columns & ~sum(EXPECTED)] == []


def test_every_row_has_a_sentence() -> None:
    assert [code for code in REASONS if not meaning(code)] == []


def test_views_of_the_store_know_what_is_not_there() -> None:
    views = (Path(minicrawl.__file__).parent / "store" / "views.sql").read_text("utf-8")
    lists = [set(re.findall(r"'([\w-]+)'", found)) for found in re.findall(r"reason IN \(([^()]*)\)", views)]
    assert lists == [set(codes(reasons.NOT_THERE))] * 2
