"""RFC 9309 by section, and what an answer to the request for robots.txt means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.robots_cases import CASES, ORIGIN, US, all_agents

from minicrawl.crawler.requests.robots import row_of
from minicrawl.model import Fetched, State
from minicrawl.web.robots.rules import (
    LIFETIME,
    MAX_ATTEMPTS,
    MAX_BYTES,
    RobotsRules,
    RobotsState,
    judged,
    product_token,
    restored,
)

URL = f"{ORIGIN}/robots.txt"


@pytest.mark.parametrize(("body", "agent", "path", "allowed"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_rules_are_matched_as_rfc_9309_says(body: bytes | str, agent: str, path: str, allowed: bool) -> None:
    body = body if isinstance(body, bytes) else body.encode()
    assert RobotsRules.parse(body).allows(agent, ORIGIN + path) is allowed


@pytest.mark.parametrize(
    ("body", "url", "line"),
    [
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "http://h.test/a/b/c", "Allow: /a/b"),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "http://h.test/a?x", "Disallow: /a"),
        ("User-agent: *\nDisallow: /a*c$\nDisallow: /%7Eb", "http://h.test/abc", "Disallow: /a*c$"),
        ("User-agent: *\nDisallow: /%7Eb", "http://h.test/~b", "Disallow: /%7Eb"),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "http://h.test/a", "Allow: /a"),
        ("User-agent: other\nDisallow: /", "http://h.test/a", None),
        ("User-agent: *\nDisallow: /", "http://h.test/robots.txt", None),
        ("", "http://h.test/", None),
    ],
)
def test_the_line_that_decides_is_told_as_it_is_written(body: str, url: str, line: str | None) -> None:
    assert RobotsRules.parse(body.encode()).deciding_line("minicrawl/1.0", url) == line


@given(
    st.lists(
        st.tuples(st.sampled_from(["Allow", "Disallow"]), st.text("/ab*$%7E", min_size=1, max_size=6)), max_size=6
    ),
    st.text("/ab~", max_size=6),
)
def test_the_line_that_decides_says_what_is_decided(lines: list[tuple[str, str]], path: str) -> None:
    rules = RobotsRules.parse("\n".join(["User-agent: *", *(f"{name}: {value}" for name, value in lines)]).encode())
    url = f"http://h.test/{path}"
    line = rules.deciding_line("minicrawl", url)
    assert rules.allows("minicrawl", url) == (line is None or line.startswith("Allow"))


def test_sitemaps_are_those_of_all_lines() -> None:
    """2.2.4: they belong to no group."""
    body = "Sitemap: https://h.test/1.xml # first\nUser-agent: x\nSITEMAP:/2?ü\nDisallow: /\nSite-map: 3\nSitemap:\n"
    assert RobotsRules.parse(body.encode()).sitemaps == ("https://h.test/1.xml", "/2?ü", "3")
    assert RobotsRules.parse(b"Sitemap: /\xff").sitemaps == ("/\ufffd",)
    assert RobotsRules.parse(b"").sitemaps == ()


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"], ids=repr)
@pytest.mark.parametrize("inside", [len(b"Disallow: /"), len(b"Disallow: /a"), len(b"Disallow: /ab")])
def test_a_rule_that_reaches_over_the_limit_is_no_rule(inside: int, end: bytes) -> None:
    """A part of it would forbid more than it says; a rule whose line ends at the limit is whole. 2.5: the limit must be
    at least 500 kibibytes."""
    assert MAX_BYTES == 500 * 1024
    rule = b"Disallow: /ab"
    head = b"User-agent: *" + end + b"Disallow: /b" + end + b"#"
    body = head + b"x" * (MAX_BYTES - inside - len(end) - len(head)) + end + rule + end + b"Disallow: /"
    assert body[:MAX_BYTES].endswith(rule[:inside])
    rules = RobotsRules.parse(body)
    assert rules.allows(US, f"{ORIGIN}/ab") is (inside < len(rule))
    assert rules.allows(US, f"{ORIGIN}/a")
    assert not rules.allows(US, f"{ORIGIN}/b")


def test_one_endless_line_is_no_rule() -> None:
    assert RobotsRules.parse(b"User-agent: * " * MAX_BYTES).allows(US, f"{ORIGIN}/a")


def test_long_lines_are_read_to_their_end() -> None:
    path = "/" + "x" * 100_000
    rules = RobotsRules.parse(all_agents(f"Disallow: {path}y", "Disallow: /a").encode())
    assert not rules.allows(US, f"{ORIGIN}{path}y")
    assert rules.allows(US, f"{ORIGIN}{path}z")
    assert not rules.allows(US, f"{ORIGIN}/a")


@given(st.binary(max_size=300), st.text(max_size=30))
def test_no_bytes_are_too_bad_to_be_read(body: bytes, path: str) -> None:
    rules = RobotsRules.parse(b"User-agent: *\n" + body)
    assert rules.allows(US, f"{ORIGIN}/robots.txt")
    assert rules.allows(US, f"{ORIGIN}/{path.encode('utf-8', 'replace').decode()}") in (True, False)


@pytest.mark.parametrize("noise", [b"\0", b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\x1b[0m"], ids=repr)
def test_a_line_of_garbage_spoils_no_other(noise: bytes) -> None:
    body = b"User-agent: *\nDisallow: /a\n" + noise + b"\nDisallow: /b" + noise + b"\nDisallow: /c\n"
    rules = RobotsRules.parse(body)
    assert not rules.allows(US, f"{ORIGIN}/a")
    assert not rules.allows(US, f"{ORIGIN}/c")
    assert rules.allows(US, f"{ORIGIN}/d")


@pytest.mark.parametrize("body", [b"", b"\0" * 100, bytes(range(256)), b"\xef\xbb\xbf", b":" * 50, b"<html>" * 50])
def test_nonsense_allows_everything(body: bytes) -> None:
    rules = RobotsRules.parse(body)
    assert rules.allows(US, f"{ORIGIN}/a")
    assert rules.crawl_delay(US) is None


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("minicrawl/1.0", "minicrawl"),
        ("minicrawl/1.0 (+https://example.org)", "minicrawl"),
        ("My-Bot_x 2.0", "My-Bot_x"),
        ("bot2000/1", "bot"),
        ("", "minicrawl"),
        ("1/2", "minicrawl"),
        ("Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)", "ExampleBot"),
        ("Mozilla/5.0 (X11; Linux)", "Mozilla"),
    ],
)
def test_product_token_is_letters_hyphens_and_underscores(user_agent: str, token: str) -> None:
    assert product_token(user_agent) == token


@pytest.mark.parametrize(
    ("value", "delay"),
    [
        ("5", 5.0),
        ("0.5", 0.5),
        (" 2 ", 2.0),
        ("120", 120.0),
        ("3600.25", 3600.25),
        ("5 # seconds", 5.0),
        ("5 s", None),
        ("0,5", 0.5),
        ("0", 0.0),
        ("-1", None),
        ("x", None),
        ("", None),
        ("inf", None),
        ("nan", None),
    ],
)
def test_crawl_delay_is_a_finite_number_of_seconds(value: str, delay: float | None) -> None:
    rules = RobotsRules.parse(f"User-agent: minicrawl\nCrawl-delay: {value}\n".encode())
    found = rules.crawl_delay(US)
    assert found == delay
    assert found is None or type(found) is float


def test_of_several_crawl_delays_the_first_one_counts() -> None:
    """Rules below a crawl-delay may be shared with the next robot, its crawl-delay is not."""
    rules = RobotsRules.parse(b"User-agent: x\nCrawl-delay: 5\nUser-agent: y\nCrawl-delay: z\nCrawl-delay: 9")
    assert (rules.crawl_delay("x"), rules.crawl_delay("y")) == (5.0, 9.0)


def test_crawl_delay_of_other_robots_does_not_concern_us() -> None:
    assert RobotsRules.parse(b"User-agent: x\nCrawl-delay: 5").crawl_delay(US) is None
    assert RobotsRules.parse(b"User-agent: *\nCrawl-delay: 5").crawl_delay(US) == 5.0


# What an answer means: RFC 9309 2.3.1.

NOW = 1000.0
RULES = b"User-agent: *\nDisallow: /a"


@pytest.mark.parametrize("status", [200, 203, 206])
def test_2_3_1_1_a_success_is_parsed(status: int) -> None:
    state = judged(Fetched(URL, status=status, body=RULES), NOW)
    assert state.refusal(US, f"{ORIGIN}/a") == (State.DISALLOWED, "robots")
    assert state.refusal(US, f"{ORIGIN}/b") is None
    assert (state.status, state.body, state.fetched_at, state.expires) == (status, RULES, NOW, NOW + LIFETIME)
    assert not state.is_undecided


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_2_3_1_2_too_many_redirects_allow_everything(status: int) -> None:
    state = judged(Fetched(URL, status=status, location="/x"), NOW)
    assert state.refusal(US, f"{ORIGIN}/a") is None
    assert state.expires == NOW + LIFETIME


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418, 451, 499])
def test_2_3_1_3_unavailable_allows_everything(status: int) -> None:
    state = judged(Fetched(URL, status=status, body=RULES), NOW)
    assert state.refusal(US, f"{ORIGIN}/a") is None
    assert not state.is_undecided
    assert (state.body, state.expires) == (b"", NOW + LIFETIME)


UNREACHABLE = [
    Fetched(URL, status=status, body=b"User-agent: *\nAllow: /") for status in (429, 500, 502, 503, 504, 599)
]
UNREACHABLE += [Fetched(URL, reason=reason) for reason in ("timeout", "reset", "refused", "undecodable")]


@pytest.mark.parametrize("fetched", UNREACHABLE, ids=lambda fetched: fetched.reason or fetched.status)
def test_2_3_1_4_unreachable_allows_nothing_and_is_tried_again(fetched: Fetched) -> None:
    state = judged(fetched, NOW)
    assert state.is_undecided
    assert state.refusal(US, f"{ORIGIN}/b") is not None
    assert NOW < state.expires < NOW + LIFETIME


@pytest.mark.parametrize("fetched", UNREACHABLE, ids=lambda fetched: fetched.reason or fetched.status)
def test_waits_grow_and_end_after_some_attempts(fetched: Fetched) -> None:
    waits, state = [], None
    for _ in range(MAX_ATTEMPTS):
        assert state is None or state.is_undecided
        state = judged(fetched, NOW, state.attempts if state else 0)
        waits.append(state.expires - NOW)
    assert state is not None
    assert not state.is_undecided
    assert waits == sorted(set(waits))


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("retry_after", "wait"),
    [
        *(("60", 60.0), ("1", 10.0), ("86400", 86_400.0), ("691200", 10.0), ("-1", 10.0), ("soon", 10.0)),
        ("Thu, 01 Jan 1970 00:20:00 GMT", 200.0),
    ],
)
def test_a_server_that_says_when_to_ask_again_is_asked_then(status: int, retry_after: str, wait: float) -> None:
    state = judged(Fetched(URL, status=status, retry_after=retry_after), NOW)
    assert state.is_undecided
    assert state.expires == NOW + wait


def test_a_failing_server_disallows_its_pages() -> None:
    state = judged(Fetched(URL, status=503), NOW, MAX_ATTEMPTS - 1)
    assert state.refusal(US, f"{ORIGIN}/b") == (State.DISALLOWED, "robots-unreachable")


def test_a_broken_connection_is_the_pages_error() -> None:
    state = judged(Fetched(URL, reason="refused"), NOW, MAX_ATTEMPTS - 1)
    assert state.refusal(US, f"{ORIGIN}/b") == (State.ERROR, "refused")


@pytest.mark.parametrize("reason", ["dns", "private-address", "bad-port", "bad-url", "tls", "tls-authority"])
def test_what_will_not_mend_is_not_tried_again(reason: str) -> None:
    state = judged(Fetched(URL, reason=reason), NOW)
    assert not state.is_undecided
    assert state.refusal(US, f"{ORIGIN}/b") == (State.ERROR, reason)
    assert state.expires == NOW + LIFETIME


def test_no_more_than_the_limit_is_kept() -> None:
    state = judged(Fetched(URL, status=200, body=RULES + b"\n#" + b"x" * MAX_BYTES), NOW)
    assert state.body == RULES


@pytest.mark.parametrize(
    "fetched",
    [
        Fetched(URL, status=200, body=RULES),
        Fetched(URL, status=200, body=(RULES + b"\nDisallow: /bbbbbb").ljust(MAX_BYTES - 6, b"#") + b"\nDisallow: /b"),
        Fetched(URL, status=404),
        *UNREACHABLE,
        Fetched(URL, reason="dns"),
    ],
)
@pytest.mark.parametrize("attempts", [0, MAX_ATTEMPTS - 1])
def test_what_the_store_remembers_decides_the_same(fetched: Fetched, attempts: int) -> None:
    state = judged(fetched, NOW, attempts)
    again = kept_and_restored(state)
    for path in ("/a", "/b"):
        assert again.refusal(US, ORIGIN + path) == state.refusal(US, ORIGIN + path)
    assert again.is_undecided == state.is_undecided
    assert (again.expires, again.attempts, again.status) == (state.expires, state.attempts, state.status)


def kept_and_restored(state: RobotsState) -> RobotsState:
    return restored(*row_of(ORIGIN, state))


def test_robots_that_could_not_be_read_forbids_all_until_it_is_due_again() -> None:
    """RFC 9309 2.3.1.4: what it forbids is not known. Asking for it again, or reading it again, would not help."""
    state = judged(Fetched(URL, 200, b"User-agent: *\nAllow: /", reason="parser-failed"), 1000.0)
    for known in (state, kept_and_restored(state)):
        assert known.refusal(US, f"{ORIGIN}/a") == (State.DISALLOWED, "parser-failed")
        assert (known.is_undecided, known.expires) == (False, 1000.0 + LIFETIME)


AGENTS = ["*", "minicrawl", "otherbot", "MiniCrawl/2", "foo", ""]
LINES = [
    *(f"User-agent: {agent}" for agent in AGENTS),
    *(f"{kind}: {path}" for kind in ("Allow", "Disallow") for path in ("/a", "/ab", "/*b", "/", "/*a$", "")),
    *(f"Crawl-delay: {value}" for value in ("1", "7", "x", "")),
    *("", "# c", "Sitemap: /x"),
]


def slow_groups(lines: list[str]) -> dict[str, tuple[list[tuple[str, str]], float | None]]:
    """Rules and Crawl-delay per robot: each line copied to every robot it is for (RFC 9309 2.1)."""
    groups: dict[str, tuple[list[tuple[str, str]], float | None]] = {}
    addressed: list[str] = []
    is_naming = False
    for line in lines:
        name, _, value = (part.strip() for part in line.partition(":"))
        if name == "User-agent":
            addressed = [*(addressed if is_naming else []), value.partition("/")[0].lower()]
            is_naming = True
            groups.setdefault(addressed[-1], ([], None))
        for agent in set(addressed):
            rules, delay = groups[agent]
            if name in ("Allow", "Disallow"):
                is_naming = False
                groups[agent] = ([*rules, *([(name, value)] if value else [])], delay)
            elif name == "Crawl-delay" and delay is None and value.isdigit():
                groups[agent] = (rules, float(value))
        is_naming = is_naming and name not in ("Allow", "Disallow")
    return groups


@given(st.lists(st.sampled_from(LINES), max_size=14))
def test_groups_are_read_as_the_slow_reading_does(lines: list[str]) -> None:
    rules = RobotsRules.parse("\n".join(lines).encode())
    slow = slow_groups(lines)
    for agent in ("minicrawl", "otherbot", "foo", "none"):
        expected, delay = slow.get(agent) or slow.get("*") or ([], None)
        group = rules._group(agent)
        said = [] if group is None else [(text.decode(), allows) for text, allows in group.lines]
        assert said == [(text, name == "Allow") for name, text in expected]
        assert rules.crawl_delay(agent) == delay
