"""Which probe is due at an origin, and who learns from its answer."""

from typing import Any, cast

from minicrawl.crawler.visits.due_probes import Probes
from minicrawl.model import Fetched

ORIGIN, ABSENT, PLAIN = "http://a.test", "http://a.test/absent", "http://a.test/?plain"


class Learner:
    """Has one probe to make, and notes what comes of it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.due: list[str] = [url]
        self.answers: list[str] = []

    def is_probe(self, url: str) -> bool:
        return url == self.url

    def take_due(self, origin: str) -> str | None:
        return self.due.pop() if self.due else None

    def put_back(self, url: str) -> None:
        self.due.append(url)

    def note_answer(self, fetched: Fetched) -> None:
        self.answers.append(fetched.url)

    def note_probe(self, fetched: Fetched, now: float) -> None:
        self.answers.append(fetched.url)


def test_each_answer_is_for_who_asked() -> None:
    soft404s, sessions = Learner(ABSENT), Learner(PLAIN)
    probes = Probes(cast("Any", soft404s), cast("Any", soft404s), cast("Any", sessions))
    assert [probes.due(ORIGIN) for _ in range(3)] == [ABSENT, PLAIN, None]
    probes.absorb(Fetched(PLAIN, status=200), 0.0)
    probes.absorb(Fetched(ABSENT, status=404), 0.0)
    assert (soft404s.answers, sessions.answers) == ([ABSENT], [PLAIN])


def test_probe_that_is_put_back_is_due_again() -> None:
    soft404s, sessions = Learner(ABSENT), Learner(PLAIN)
    probes = Probes(cast("Any", soft404s), cast("Any", soft404s), cast("Any", sessions))
    assert [probes.due(ORIGIN) for _ in range(2)] == [ABSENT, PLAIN]
    probes.put_back(PLAIN)
    assert probes.due(ORIGIN) == PLAIN
    probes.put_back(ABSENT)
    assert probes.due(ORIGIN) == ABSENT


def test_sessions_are_probed_also_where_nobody_looks_for_soft_404s() -> None:
    sessions = Learner(PLAIN)
    probes = Probes(None, None, cast("Any", sessions))
    assert probes.due(ORIGIN) == PLAIN
