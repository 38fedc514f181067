"""Content-Usage and Content-Signal in robots.txt: a row for each rule of the drafts, a slow reading, largest files."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import growth

from minicrawl.web.robots.matching import octets_of
from minicrawl.web.robots.preferences import NOTHING, Preferences, UsageLine, UsageRules, combined, parted, read
from minicrawl.web.robots.rules import MAX_BYTES, RobotsRules

US = "minicrawl/1.0"
ORIGIN = "https://h.test"


def said(robots: str | bytes, path: str = "/", agent: str = US) -> str | None:
    """The verdicts of a robots.txt on a path, which are those of the lines that are shown."""
    rules = RobotsRules.parse(robots if isinstance(robots, bytes) else robots.encode())
    assert rules.allows(agent, ORIGIN + path)
    found = rules.preferences(agent, ORIGIN + path)
    shown = rules.statements(agent, ORIGIN + path, f"{ORIGIN}/robots.txt")
    assert combined(each.preferences for each in shown) == found
    return found.text


ALL = "User-agent: *\n"
# The example of draft-ietf-aipref-attach.
EXAMPLE = """User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
"""


@pytest.mark.parametrize(
    ("path", "agent", "expected"),
    [
        ("/test", US, "ai-train=n"),
        ("/ai-ok/test", US, "ai-train=y"),
        ("/test", "ExampleBot/2.0", "ai-train=y"),
        ("/never/test", "ExampleBot/2.0", "ai-train=y"),
    ],
)
def test_example_of_the_draft(path: str, agent: str, expected: str) -> None:
    assert said(EXAMPLE, path, agent) == expected


def test_url_that_may_not_be_fetched_has_no_preferences() -> None:
    rules = RobotsRules.parse(EXAMPLE.encode())
    assert not rules.allows(US, f"{ORIGIN}/never/test")
    assert rules.statements(US, f"{ORIGIN}/never/test", "") == []


@pytest.mark.parametrize(
    ("lines", "path", "expected"),
    [
        # The label, in any case, with blanks around it and the colon, and a comment behind.
        ("content-usage:train-ai=n", "/", "ai-train=n"),
        ("\t CONTENT-USAGE \t:\t train-ai=n # no training", "/", "ai-train=n"),
        ("Content-Usage: train-ai=n#, search=n", "/", "ai-train=n"),
        ("Content_Usage: train-ai=n", "/", None),
        # The path: absent, empty, ended by a blank or a tab.
        ("Content-Usage: /a train-ai=n", "/ab", "ai-train=n"),
        ("Content-Usage: /a \t train-ai=n, search=y", "/a", "search=y, ai-train=n"),
        ("Content-Usage: /a\ttrain-ai=n", "/b", None),
        ("Content-Usage: a/ train-ai=n", "/a/", None),  # no path: a statement that makes no sense
        ("Content-Usage: / train-ai=n", "/any", "ai-train=n"),
        ("Content-Usage: /a", "/a", None),
        ("Content-Usage: /atrain-ai=n", "/a", None),
        ("Content-Usage:", "/", None),
        # Paths are matched as for Allow and Disallow: stars, ends, escapes, queries.
        ("Content-Usage: /*.pdf$ train-ai=n", "/a/b.pdf", "ai-train=n"),
        ("Content-Usage: /*.pdf$ train-ai=n", "/a/b.pdf?x", None),
        ("Content-Usage: /%7ea train-ai=n", "/~a", "ai-train=n"),
        ("Content-Usage: /ü train-ai=n", "/%C3%BC", "ai-train=n"),
        ("Content-Usage: /a?b= train-ai=n", "/a?b=1", "ai-train=n"),
        ("Content-Usage: /A train-ai=n", "/a", None),
        # The longest match counts alone, in any order of the lines.
        ("Content-Usage: /a/b train-ai=y\nContent-Usage: /a search=n, train-ai=n", "/a/b", "ai-train=y"),
        ("Content-Usage: /a search=n, train-ai=n\nContent-Usage: /a/b train-ai=y", "/a/b", "ai-train=y"),
        ("Content-Usage: train-ai=n\nContent-Usage: / train-ai=y", "/", "ai-train=y"),
        ("Content-Usage: /a/b\nContent-Usage: /a train-ai=n", "/a/b", None),
        ("Content-Usage: /a/b Train-AI=n\nContent-Usage: train-ai=y", "/a/b", None),
        # Equal paths: each statement applies, the most restrictive verdict holds; also of paths in two spellings.
        ("Content-Usage: train-ai=n\nContent-Usage: train-ai=y", "/", "ai-train=n"),
        ("Content-Usage: train-ai=y\nContent-Usage: train-ai=n", "/", "ai-train=n"),
        ("Content-Usage: /a train-ai=y\nContent-Usage: /a search=n", "/a", "search=n, ai-train=y"),
        ("Content-Usage: /~a train-ai=n\nContent-Usage: /%7Ea train-ai=y", "/~a", "ai-train=n"),
        ("Content-Usage: /*b train-ai=y\nContent-Usage: /a* train-ai=n", "/ab", "ai-train=n"),
        ("Content-Usage: train-ai=n\nContent-Usage: bad bad", "/", "ai-train=n"),
        # Content-Signal in the same way; each vocabulary by itself.
        ("Content-Signal: search=yes, ai-train=no", "/", "search=y, ai-train=n"),
        ("Content-Signal: /a ai-input=no\nContent-Signal: ai-train=no", "/a", "ai-input=n"),
        ("Content-Signal: /a ai-train=yes\nContent-Usage: train-ai=n", "/a", "ai-train=n"),
        ("Content-Usage: /a train-ai=y\nContent-Signal: ai-train=no, search=yes", "/a", "search=y, ai-train=n"),
        # Lines end at CR, LF or NUL; what is no UTF-8 is no statement.
        ("Content-Usage: train-ai=n\rContent-Usage: search=n", "/", "search=n, ai-train=n"),
        ("Content-Usage: train-ai=n\0, search=n", "/", "ai-train=n"),
        (b"Content-Usage: train-ai=n\xff", "/", None),
        (b"Content-Usage: /\xff train-ai=n", "/%FF", "ai-train=n"),
        ("Content-Usage: train-ai=n, x=" + "a" * 2_000, "/", None),
    ],
)
def test_rule(lines: str | bytes, path: str, expected: str | None) -> None:
    assert said(ALL.encode() + (lines if isinstance(lines, bytes) else lines.encode()), path) == expected


N, Y = "Content-Usage: train-ai=n\n", "Content-Usage: train-ai=y\n"


@pytest.mark.parametrize(
    ("robots", "expected"),
    [
        (N, None),  # before any group
        (f"User-agent: *\n{N}User-agent: minicrawl\nAllow: /", None),  # its own group says nothing
        (f"User-agent: *\n{Y}User-agent: MiniCrawl\n{N}", "ai-train=n"),
        (f"User-agent: other\n{N}", None),
        (f"User-agent: other\nUser-agent: *\n{N}", "ai-train=n"),
        (f"User-agent: other\n{N}User-agent: *\n{Y}", "ai-train=y"),  # a rule ends the list of robots
        (f"User-agent: *\n{Y}\nSitemap: https://h.test/s.xml\n{N}", "ai-train=n"),  # no record ends a group
        (f"User-agent: *\nCrawl-delay: 1\n{N}", "ai-train=n"),
        (f"User-agent: *\nAllow: /\nUser-agent: other\n{N}", None),
        (f"User-agent: *\n{Y}User-agent: other\nAllow: /\nUser-agent: *\n{N}", "ai-train=n"),  # groups are combined
        (f"User-agent: *\nDisallow:\n{N}", "ai-train=n"),
    ],
)
def test_group(robots: str, expected: str | None) -> None:
    assert said(robots) == expected


ACCESS = ["User-agent: *", "User-agent: minicrawl", "User-agent: other", "Allow: /a", "Disallow: /", "Disallow: /a"]
ACCESS += ["Sitemap: https://h.test/s", "Crawl-delay: 2", "", "nonsense"]
USAGE = [N.strip(), "Content-Usage: /a train-ai=y", "Content-Signal: search=no", "Content-Usage", "Content-Signal: /a"]


@given(st.lists(st.sampled_from([*ACCESS, *USAGE]), max_size=12))
def test_lines_on_use_never_change_what_may_be_fetched(lines: list[str]) -> None:
    with_them = RobotsRules.parse("\n".join(lines).encode())
    without = RobotsRules.parse("\n".join(line for line in lines if line not in USAGE).encode())
    for agent in (US, "other"):
        for path in ("/", "/a", "/ab", "/b", "/robots.txt"):
            assert with_them.allows(agent, ORIGIN + path) == without.allows(agent, ORIGIN + path)
        assert with_them.crawl_delay(agent) == without.crawl_delay(agent)
    assert with_them.sitemaps == without.sitemaps


PATHS = st.lists(st.sampled_from(["/", "a", "b", "*", "$", "%61", "?"]), max_size=5).map("".join)
STATEMENTS = st.sampled_from(["search=n", "search=y, train-ai=n", "train-ai=y", "", "bad bad"])
LINES = st.tuples(st.sampled_from(["Content-Usage", "Content-Signal"]), PATHS, STATEMENTS).map(
    lambda line: (line[0], f"/{line[1]} {line[2]}".encode() if line[1] else line[2].encode())
)


def slowly(lines: list[UsageLine], octets: str) -> Preferences:
    """A regular expression for each path; of each vocabulary the longest that matches count."""
    found: list[Preferences] = []
    for name in ("Content-Usage", "Content-Signal"):
        matching: dict[int, list[Preferences]] = {}
        for path, statement in (parted(value) for kind, value in lines if kind == name):
            spelt = path.decode().replace("%61", "a")
            body, end = (spelt[:-1], "$") if spelt.endswith("$") else (spelt, "")
            pattern = "".join(".*" if sign == "*" else re.escape(sign) for sign in body)
            if re.match(pattern + end, octets, re.DOTALL):
                matching.setdefault(len(spelt), []).append(read(name, statement.decode()))
        found.append(combined(matching[max(matching)]) if matching else NOTHING)
    return combined(found)


@given(st.lists(LINES, max_size=8), PATHS)
def test_many_rules_decide_as_the_slow_reading_does(lines: list[UsageLine], rest: str) -> None:
    octets = octets_of(f"{ORIGIN}/{rest}")
    assert combined(says for _, says in UsageRules(lines).deciding(octets)) == slowly(lines, octets)


@given(st.binary(max_size=200))
def test_any_bytes_are_read(body: bytes) -> None:
    rules = RobotsRules.parse(b"User-agent: *\nContent-Usage: " + body)
    rules.preferences(US, f"{ORIGIN}/a")
    if rules.allows(US, f"{ORIGIN}/a"):
        rules.statements(US, f"{ORIGIN}/a", "")


def largest(line: bytes) -> bytes:
    """As many lines as a robots.txt may have, a number for each %d."""
    numbers = range(MAX_BYTES // (len(line) + 4))
    return b"\n".join([b"User-agent: *", *(line % number for number in numbers)])[:MAX_BYTES]


@pytest.mark.parametrize(
    "line",
    [
        b"Content-Usage: /%d search=y, train-ai=n",
        b"Content-Usage: /*%d*a*b search=y, train-ai=n",
        b"Content-Usage: train-ai=n, x=%d",
        b"Content-Usage: /a train-ai=(" + b"(" * 900 + b", x=%d",
        b"Content-Usage: /%d$ " + b"\0" * 100,
        b"Content-Signal: /%d ,=,=,=,=,ai-train=no",
    ],
)
def test_large_files_take_time_linear_in_their_length(line: bytes) -> None:
    body = largest(line)
    cut = body.index(b"\n", len(body) // 10) / len(body)

    def read(tenths: int) -> None:
        RobotsRules.parse(body[: int(len(body) * cut) * tenths]).preferences(US, f"{ORIGIN}/7a7b")

    assert growth(read, 1) < 1.5


def test_last_line_of_the_largest_file_counts() -> None:
    lines = largest(b"Content-Usage: /%d search=y").rpartition(b"\n")[0]
    assert said(lines[: MAX_BYTES - 40] + b"\nContent-Usage: /last train-ai=n", "/last") == "ai-train=n"
