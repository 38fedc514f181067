"""What an answer says of its host, and how long a host rests. Tables, without a crawl."""

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.hosts.health import BACK, GONE, ILL, MOST_ACQUITTALS, WELL, Evidence, Health, evidence_of
from minicrawl.model import Fetched

NOW, MINUTE, HOUR, DAY, WEEK = 1_700_000_000.0, 60.0, 3600.0, 86_400.0, 7 * 86_400.0
KINDS = {"asks-rest": "busy", "forbids": "refusing", "fails": "down", "silent": "down"}
KINDS |= {"alike": "walled", "sent-on": "walled", "empty": "down"}


def evidence(sort: str = "fails", rest: float = 10.0, asked: float = 0.0) -> Evidence:
    return Evidence(sort, "http-500", asked > 0, asked or rest, asked)


def ill(rest: float) -> Health:
    health = Health()
    health.fail(evidence(rest=rest), NOW, 0.0)
    return health


@pytest.mark.parametrize("status", [400, 403, 405, 429, 451, 500, 503, 999])
@pytest.mark.parametrize("asked", [1.0, DAY, WEEK])
def test_a_failure_that_asks_for_a_rest_speaks_of_its_host(status: int, asked: float) -> None:
    for said in (f"{asked:.0f}", formatdate(NOW + asked, usegmt=True)):
        expected = Evidence("asks-rest", f"http-{status}", True, asked, asked)
        assert evidence_of(Fetched("u", status, retry_after=said), NOW) == expected
        for other in (200, 202, 301, 304, 404, 410):
            assert evidence_of(Fetched("u", other, retry_after=said), NOW) is None


@pytest.mark.parametrize(
    ("sort", "is_sure", "rest", "answers"),
    [
        ("asks-rest", True, MINUTE, "http-429"),
        ("forbids", False, 5 * MINUTE, "http-401 http-402"),
        ("forbids", False, MINUTE, "http-400 http-403 http-405 http-406 http-407 http-418 http-430 http-451 http-999"),
        ("fails", False, 10.0, "http-408 http-425 http-500 http-501 http-502 http-503 http-504 http-520 http-777"),
        ("", False, 0.0, "http-200 http-204 http-301 http-302 http-304 http-404 http-410"),
        ("silent", True, MINUTE, "dns dns-unanswered"),
        ("silent", True, 30.0, "refused"),
        ("silent", True, 10.0, "connect timeout-connect"),
        ("silent", True, 10 * MINUTE, "tls tls-authority tls-expired tls-name"),
        ("silent", False, 10.0, "connection reset timeout timeout-read bad-response"),
        ("", False, 0.0, "worker-died render-crashed proxy proxy-refused private-address bad-port"),
        ("", False, 0.0, "robots bad-url undecodable parser-failed not-archived host-banned"),
    ],
)
def test_an_answer_may_speak_of_its_host(sort: str, is_sure: bool, rest: float, answers: str) -> None:
    """So it does if it has no Retry-After, or one that counts as none."""
    for answer in answers.split():
        expected = Evidence(sort, answer, is_sure, rest) if sort else None
        for asked in (None, "", "0", "-5", "soon", f"{WEEK + 1:.0f}", formatdate(NOW - 1, usegmt=True)):
            family, _, status = answer.partition("-")
            reply = Fetched("u", int(status), retry_after=asked) if family == "http" else Fetched("u", reason=answer)
            assert evidence_of(reply, NOW) == expected, asked


def test_each_sort_of_answers_is_acquitted_apart_up_to_seven_times() -> None:
    health, counts = Health(), {sort: count for count, sort in enumerate(KINDS)}
    for turn in range(len(KINDS)):
        for sort in list(KINDS)[turn + 1 :]:
            health.acquit(sort)
    for sort in KINDS:
        assert {other: health.acquittals(other) for other in KINDS} == counts
        for _ in range(20):
            health.acquit(sort)
        counts[sort] = MOST_ACQUITTALS
    assert MOST_ACQUITTALS == 7
    assert {sort: evidence(sort).kind for sort in KINDS} == KINDS


def test_a_rest_doubles_up_to_an_hour() -> None:
    health, now = ill(10.0), NOW
    for tries in range(12):
        assert (health.state, health.since, health.tries) == (ILL, NOW, tries)
        assert health.rest == health.next_at - now == min(10.0 * 2**tries, HOUR)
        now = health.next_at
        health.fail(evidence(), now, 1.0)


@pytest.mark.parametrize(
    ("asked", "rest", "lasts"),
    [(5.0, 40.0, 40.0), (40.0, 40.0, 40.0), (500.0, 500.0, 500.0), (HOUR, HOUR, HOUR), (DAY, HOUR, DAY)],
)
def test_a_rest_that_was_asked_for_replaces_a_shorter_one(asked: float, rest: float, lasts: float) -> None:
    health = ill(20.0)
    health.fail(evidence("asks-rest", asked=asked), NOW + 20, 1.0)
    assert (health.rest, health.next_at - NOW - 20) == (rest, lasts)
    health.fail(evidence(), health.next_at, 1.0)  # it asks for none now
    assert health.rest == health.next_at - (NOW + 20 + lasts) == min(2 * rest, HOUR)


@pytest.mark.parametrize(("answers", "kept"), [(0, 80), (9, 80), (10, 40), (19, 40), (20, 20), (30, 10), (300, 0)])
@pytest.mark.parametrize("first", [10.0, 60.0])
def test_the_next_illness_starts_where_the_last_rest_ended(first: float, answers: int, kept: float) -> None:
    health = ill(40.0)
    health.fail(evidence(), NOW, 1.0)
    health.recover(NOW)
    for _ in range(answers):
        health.note_well()
    health.fail(evidence(rest=first), NOW + DAY, 1.0)
    assert (health.rest, health.since, health.tries) == (max(first, kept), NOW + DAY, 0)
    health.recover(NOW + DAY)
    health.fail(evidence(rest=first), NOW + DAY, 1.0)  # the answers before the last illness count no more
    assert health.rest == max(first, kept)


def test_a_host_that_is_back_is_slowed_until_it_is_well() -> None:
    health = Health()
    health.note_well()
    assert (health.state, health.slowed) == (WELL, 1.0)
    for _ in range(2):
        health.fail(evidence(), NOW, 1.0)
        health.note_well()  # of a request that was on its way
        assert health.state == ILL
        health.recover(NOW)
        for answers in range(7):  # 4 x 0.8^7 < 1
            assert (health.state, round(health.slowed, 9)) == (BACK, round(4 * 0.8**answers, 9))
            health.note_well()
        assert (health.state, health.slowed) == (WELL, 1.0)


@pytest.mark.parametrize(
    ("state", "sort", "delay", "own", "expected"),
    [
        (WELL, "asks-rest", 1.0, 0.0, 1.5),
        (WELL, "asks-rest", 2.0, 4.0, 6.0),
        (WELL, "asks-rest", 4.0, 2.0, 6.0),
        (WELL, "asks-rest", 1.0, 25.0, 30.0),
        *((state, "asks-rest", 0.0, 2.0, 2.0) for state in (WELL, BACK)),  # --delay 0
        *((WELL, sort, 1.0, 2.0, 2.0) for sort in KINDS if sort != "asks-rest"),
        *((BACK, sort, 1.0, 2.0, 3.0) for sort in KINDS),
        *((ILL, sort, 1.0, 2.0, 2.0) for sort in KINDS),  # its witness has failed again
    ],
)
def test_a_host_that_refuses_or_falls_ill_again_needs_more_delay(
    state: str, sort: str, delay: float, own: float, expected: float
) -> None:
    health = Health(state=state, own_delay=own)
    health.fail(evidence(sort), NOW, delay)
    assert health.own_delay == expected
    for answers in range(1, 50):
        health.note_well()
        assert health.own_delay == pytest.approx(expected * 0.995**answers)


@pytest.mark.parametrize(
    ("reason", "was_read", "gap", "runs"),
    [
        *((reason, True, DAY, 3) for reason in ("dns", "refused", "tls-name", "connect")),
        *((reason, False, DAY, 3) for reason in ("dns", "http-503", "http-429", "reset", "alike")),
        *((reason, True, DAY, None) for reason in ("http-503", "http-429", "reset", "alike")),
        ("dns", True, DAY - 1, 5),  # each other run counts
        ("dns", True, HOUR, None),
        ("http-503", False, HOUR, None),
    ],
)
def test_a_host_is_gone_after_three_runs_a_day_apart(reason: str, was_read: bool, gap: float, runs: int | None) -> None:
    health = ill(10.0)
    for run in range(1, 10):
        health.fail(Evidence("fails", reason, False, 10.0), NOW, 1.0)
        health.end_run(NOW + run * gap, was_read=was_read)
        assert health.is_ill
        assert (health.state == GONE) == (runs is not None and run >= runs), run
    health.recover(NOW)
    assert (health.state, health.failed_runs) == (BACK, 0)


STEPS = st.tuples(st.booleans(), st.floats(0, WEEK), st.one_of(st.just(0.0), st.floats(1.0, WEEK)))


@given(st.lists(STEPS, max_size=30))
def test_a_host_is_never_asked_before_a_rest_is_over_that_it_asked_for(steps: list[tuple[bool, float, float]]) -> None:
    health, now = Health(), NOW
    for is_well, later, asked in steps:
        now = max(now, health.next_at) + later
        if is_well and health.is_ill:
            health.recover(now)
            health.note_well()
        else:
            health.fail(evidence("asks-rest" if asked else "fails", asked=asked), now, 1.0)
            assert health.next_at >= max(health.asked_until, now + asked)
            assert health.next_at <= now + max(HOUR, asked) + 1e-3
