"""Verdicts on robots.txt: RFC 9309 case by case, generated files, and Google's own parser.

Verdicts of parsers of robots.txt, in percent of those expected: cases by section of RFC 9309, habits that Google's
parser forgives and the RFC does not name, and generated files; then how often a parser says what Google's own says.

- The cases are those of minicrawl's tests, and its reading where the RFC leaves something open, so it passes the
  first two columns by making; the generated verdicts are of a slow reading that shares no code with it.
- Google's parser departs from the RFC in places: it does not decode %61, forgives misspelt fields, takes a rule for
  /index.html as one for / too, and answers for robots.txt as for any page.
- All get the product token as user agent and URLs whose characters beyond ASCII are escaped. A parser that raises an
  error gives no verdict, which is never right. Each verdict parses the file anew.
"""

import random
import re
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from public.bench import Bench, Suite
from public.peers import Peer
from public.results import OURS, PEER, Column, Row, Table
from support.robots_cases import CASES, ORIGIN, slowly_allows

from minicrawl.web.robots.rules import RobotsRules

_GOOGLE = "Google's robotstxt"
_PEERS = (
    Peer(_GOOGLE, "PyPI", ("jwm.robotstxt>=1,<2",), "Apache-2.0"),
    Peer("fast-robotstxt", "PyPI", ("fast-robotstxt>=1,<2",), "Apache-2.0"),
    Peer("gpyrobotstxt", "PyPI", ("gpyrobotstxt>=1,<2",), "Apache-2.0"),
    Peer("protego", "PyPI", ("protego>=0.4,<1",), "BSD-3-Clause"),
    Peer("robotspy", "PyPI", ("robotspy>=0.10,<1",), "MIT"),
    Peer("reppy", "PyPI", ("reppy>=0.4,<1",), "MIT"),
    Peer("robotexclusionrulesparser", "PyPI", ("robotexclusionrulesparser>=1.7,<2",), "BSD-3-Clause"),
    Peer("robots-parser", "npm", ("robots-parser@^3",), "MIT"),
    Peer("urllib.robotparser", "Python", ("urllib.robotparser",), "PSF-2.0"),
)
_AGENTS = ("alpha", "beta", "gamma")
_PIECES = ("/", "/", "a", "b", "ab", "*", "%61", "%2F", "%2f", "ü", "%c3%BC", "?", "&=", "~", "%7E")
_ASCII = "".join(map(chr, range(0x21, 0x7F)))


class Case(NamedTuple):
    """A question. corpus: RFC, Google or generated; agent: a product token."""

    corpus: str
    text: str
    agent: str
    url: str
    is_allowed: bool


def table_cases() -> Iterator[Case]:
    """The cases of the tests, of those that are UTF-8."""
    for name, text, agent, path, is_allowed in CASES:
        if isinstance(text, str):
            token = re.match("[A-Za-z_-]*", agent)
            assert token is not None
            corpus = "Google" if name.startswith("Google") else "RFC"
            yield Case(corpus, text, token[0], ORIGIN + quote(path, safe=_ASCII), is_allowed)


def generated_cases(count: int) -> Iterator[Case]:
    """Files of some groups, and a path; the verdict is that of a slow reading, character after character."""
    draw = random.Random(9309)

    def path() -> str:
        return "/" + "".join(draw.choices(_PIECES, k=draw.randint(0, 4)))

    for _ in range(count):
        groups: dict[str, list[tuple[str, bool]]] = {}
        text = ""
        for _ in range(draw.randint(1, 4)):
            names = draw.sample((*_AGENTS[:2], "*"), draw.randint(1, 2))
            rules = [(path() + "$" * (draw.random() < 0.2), draw.random() < 0.4) for _ in range(draw.randint(1, 5))]
            text += "".join(f"User-agent: {name}\n" for name in names)
            text += "".join(f"{'Allow' if allows else 'Disallow'}: {rule}\n" for rule, allows in rules) + "\n"
            for name in names:
                groups.setdefault(name, []).extend(rules)
        agent, target = draw.choice(_AGENTS), path().replace("*", "x")
        rules = groups.get(agent, groups.get("*", []))
        yield Case("generated", text, agent, ORIGIN + quote(target, safe=_ASCII), slowly_allows(rules, target))


def _minicrawl(cases: Sequence[Case]) -> tuple[list[bool | None], float]:
    started = time.process_time()
    found: list[bool | None] = [RobotsRules.parse(one.text.encode()).allows(one.agent, one.url) for one in cases]
    return found, time.process_time() - started


def _run(bench: Bench) -> Iterator[Table]:
    cases = [*table_cases(), *generated_cases(300 if bench.is_quick else 5_000)]
    answers = {"minicrawl": _minicrawl(cases)}
    for name in bench.installed:
        found = bench.ask(name, "robots", [case[1:4] for case in cases])
        if found is not None:
            answers[name] = (found["verdicts"], found["seconds"])
    google = answers.get(_GOOGLE, ([], 0.0))[0]
    rows = []
    for name, (verdicts, seconds) in answers.items():
        pairs = list(zip(cases, verdicts, strict=True))
        shares = [
            [_percent([verdict is case.is_allowed for case, verdict in pairs if case.corpus == corpus])]
            for corpus in ("RFC", "Google", "generated")
        ]
        same = (
            [_percent([one is other for one, other in zip(verdicts, google, strict=True)])]
            if google and name != _GOOGLE
            else []
        )
        rows.append(Row.of(name, OURS if name == "minicrawl" else PEER, *shares, same, [1e6 * seconds / len(cases)]))
    counts = {corpus: sum(case.corpus == corpus for case in cases) for corpus in ("RFC", "Google", "generated")}
    columns = (
        *(Column(f"{corpus}, % of {counts[corpus]:,}", "more", 1) for corpus in counts),
        Column(f"as Google's, % of {len(cases):,}", "more", 1),
        Column("a verdict, CPU µs", "less", 0),
    )
    yield Table("Verdicts as expected", columns, rows)


def _percent(claims: Sequence[bool]) -> float:
    return 100.0 * sum(claims) / len(claims)


SUITE = Suite("robots", "Robots", __doc__, _PEERS, _run)
