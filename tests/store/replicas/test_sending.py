"""A store that commits, and its replica: whatever is lost between them, the replica is the last commit it has taken."""

import random
from contextlib import suppress
from pathlib import Path

import pytest
from support.replicated import LOG, PART, dump, source_at, taken_over

from minicrawl.store.replicas.receiving import FILE, GapError, Part, Replica
from minicrawl.store.replicas.sending import Sender


class LostError(Exception):
    """The line broke."""


class Line:
    """Brings parts to a replica, some twice, until it breaks."""

    def __init__(self, replica: Path, chance: random.Random) -> None:
        self.path = replica
        self.replica = Replica(replica)
        self._chance = chance
        self._taken: list[Part] = []

    def bring(self, part: Part) -> None:
        match self._chance.choice(["well"] * 12 + ["twice", "late", "lost", "torn", "unanswered", "restarted"]):
            case "lost":
                raise LostError
            case "torn":  # the replica's process dies while it writes
                half = part._replace(some=part.some[: self._chance.randrange(len(part.some) + 1)], after=None)
                if half.some or part.ending != FILE:
                    self.replica.take(half)
                self.replica = Replica(self.path)
                raise LostError
            case "unanswered":
                self.replica.take(part)
                raise LostError
            case "restarted":
                self.replica = Replica(self.path)
                with pytest.raises(GapError):
                    self.replica.take(part)
                raise LostError
            case "twice":
                self.replica.take(part)
            case "late" if self._taken and self._taken[-1].session == part.session:
                self.replica.take(self._chance.choice([one for one in self._taken if one.session == part.session]))
        assert self.replica.take(part) == part.number
        self._taken = [*self._taken[-9:], part]


@pytest.mark.parametrize("seed", range(2))
def test_replica_is_the_last_commit_that_it_has_taken_wherever_the_line_is_cut(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    (tmp_path / "there").mkdir()
    line = Line(tmp_path / "there" / "a.db", chance)
    cuts = 0
    with source_at(tmp_path / "a.db", chance) as source:
        sender: Sender | None = None
        begun: set[str] = set()
        could_be: list[list[str]] = []  # the last acknowledged commit, and those after it

        def news() -> None:
            nonlocal sender
            could_be.append(dump(source.path))
            now, sender = sender or Sender(source.writer, LOG, PART), None
            is_new = now.session not in begun
            begun.add(now.session)
            if is_new and not now.goes_on(line.replica.begin(now.session, now.generation)):
                could_be.clear()  # it is written to before it is whole
                for part in now.copy(line.replica.digests()):
                    line.bring(part)
            for part in now.news():
                line.bring(part)
            sender, could_be[:] = now, [dump(source.path)]

        for _ in range(25):
            with suppress(LostError):
                source.commit(news)
            if could_be:
                assert taken_over(line.path, tmp_path / "over") in could_be
            assert sender is None or len(could_be) == 1
            cuts += sender is None
            if chance.random() < 0.1:
                source.begin_again()
                sender = None
            if chance.random() < 0.05:
                source.compact()
                could_be.append(dump(source.path))
                sender = None
    assert cuts > 2
