"""The list of optional capabilities: those that are on, each asked only for what it does."""

from typing import Any, Self, cast

from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.visits.step import Opening, Step, Steps
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, ParsedPage, State

ORIGIN, ABSENT, PLAIN = "http://a.test", "http://a.test/absent", "http://a.test/?plain"


class Probing(Step):
    """Has one probe to make, and notes what comes of it. `url`: of the probe."""

    url = ABSENT

    def __init__(self) -> None:
        self.wanted = {ORIGIN: self.url}
        self.answers: list[str] = []

    @classmethod
    def of(cls, opening: Opening) -> Self:
        return cls()

    def on_probe(self, fetched: Fetched, title: str | None, now: float) -> None:
        self.answers.append(fetched.url)


class Other(Probing):
    url = PLAIN

    def recognise(self, turn: Turn) -> bool:
        turn.outcome = Outcome(State.ERROR, "other")
        return True


class Last(Step):
    def recognise(self, turn: Turn) -> bool:
        turn.outcome = Outcome(State.ERROR, "last")
        return False

    def refusal(self, page: int, url: str) -> str | None:
        return "last" if page else None


def parts_of(*kinds: type[Step]) -> Steps:
    nothing: Any = None
    return Steps(kinds, Opening(nothing, nothing, nothing, 0.0, []))


def test_each_answer_to_a_probe_is_for_the_part_that_asked() -> None:
    parts = parts_of(Probing, Other)
    probing, other = cast("list[Probing]", list(parts))
    assert [parts.due(ORIGIN) for _ in range(3)] == [ABSENT, PLAIN, None]
    parts.absorb(Fetched(PLAIN, status=200), None, 0.0)
    parts.put_back(ABSENT)
    assert parts.due(ORIGIN) == ABSENT
    parts.absorb(Fetched(ABSENT, status=404), None, 0.0)
    parts.absorb(Fetched(ABSENT, status=404), None, 0.0)  # as nobody waits for it any more
    assert (probing.answers, other.answers) == ([ABSENT], [PLAIN])


def test_parts_are_asked_in_order_until_one_has_the_answer() -> None:
    turn = Turn(0, Fetched(ABSENT, status=200), ParsedPage(), Outcome(State.FETCHED, "ok"), 0.0)
    parts_of(Probing, Last, Other).recognise(turn)
    assert turn.outcome.reason == "other"
    parts_of(Probing, Other, Last).recognise(turn)
    assert turn.outcome.reason == "other"
    assert [parts_of(Probing, Last).refusal(page, ABSENT) for page in (0, 1)] == [None, "last"]
