"""A store that commits, and its replica: whatever is lost between them, the replica is the last commit it has taken."""

import json
import os
import random
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from support.replicated import LOG, PART, bring, connect, dump, source_at, taken_over

from minicrawl.store.reader import open_store
from minicrawl.store.replicas.receiving import FILE, PIECE, GapError, Part, Replica
from minicrawl.store.replicas.sending import Sender
from minicrawl.store.texts.text_file import text_path


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


@pytest.mark.parametrize("seed", range(4))
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


def test_only_what_differs_is_copied_and_nothing_after_a_restart(tmp_path: Path) -> None:
    replica = Replica(tmp_path / "there" / "a.db")
    with source_at(tmp_path / "a.db", random.Random(1)) as source:
        while source.path.stat().st_size < 4 * PIECE:
            source.commit()
            source.writer.checkpoint()
        sender = connect(source.writer, replica)
        source.commit(lambda: bring(sender.news(), replica))
        source.commit()
        sender = Sender(source.writer)
        assert sender.goes_on(replica.begin(sender.session, 0)), "the log goes on where the replica is"
        bring(sender.news(), replica)
        source.begin_again()  # which folds the log
        sender = Sender(source.writer)
        assert not sender.goes_on(replica.begin(sender.session, 0))
        parts = list(sender.copy(replica.digests()))
        assert [(part.ending, len(part.some)) for part in parts] == [(FILE, 0)]
        bring(parts, replica)
        source.commit(lambda: bring(sender.news(), replica))
        source.commit()
        source.begin_again()  # the log that had the last commit is gone
        sender = Sender(source.writer)
        assert not sender.goes_on(replica.begin(sender.session, 0))
        bring(sender.copy(replica.digests()), replica)
        assert taken_over(tmp_path / "there" / "a.db", tmp_path / "over") == dump(source.path)


def test_commits_go_on_while_the_store_is_copied(tmp_path: Path) -> None:
    replica = Replica(tmp_path / "there" / "a.db")
    with source_at(tmp_path / "a.db", random.Random(2)) as source:
        while source.path.stat().st_size < 3 * PIECE:
            source.commit()
            source.writer.checkpoint()
        sender = Sender(source.writer, LOG, PART)
        assert not sender.goes_on(replica.begin(sender.session, 0))
        for part in sender.copy(replica.digests()):
            replica.take(part)
            source.commit()
        bring(sender.news(), replica)
        assert taken_over(tmp_path / "there" / "a.db", tmp_path / "over") == dump(source.path)


def test_log_is_folded_into_the_file_once_all_of_it_was_taken(tmp_path: Path) -> None:
    replica = Replica(tmp_path / "there" / "a.db")
    log = tmp_path / "a.db-wal"
    with source_at(tmp_path / "a.db", random.Random(4)) as source:
        sender = connect(source.writer, replica)
        largest = 0
        for _ in range(60):
            source.commit(lambda: bring(sender.news(), replica))
            largest = max(largest, log.stat().st_size)
        assert LOG < largest < 4 * LOG
        sender.close()
        assert taken_over(tmp_path / "there" / "a.db", tmp_path / "over") == dump(source.path)


def test_rewritten_texts_are_copied_from_the_beginning(tmp_path: Path) -> None:
    replica = Replica(tmp_path / "there" / "a.db")
    with source_at(tmp_path / "a.db", random.Random(3)) as source:
        for _ in range(10):
            source.commit()
        sender = connect(source.writer, replica)
        source.compact()
        with pytest.raises(GapError, match="rewritten"):
            bring(sender.news(), replica)
        connect(source.writer, replica)
        assert taken_over(tmp_path / "there" / "a.db", tmp_path / "over") == dump(source.path)


def write_for_ever(folder: Path) -> None:
    """Commit, and tell of each commit that the replica has taken."""
    with ExitStack() as stack:
        source = stack.enter_context(source_at(folder / "a.db", random.Random(os.getpid())))
        replica = Replica(folder / "there" / "a.db")
        sender = connect(source.writer, replica)
        while True:
            source.commit(lambda: bring(sender.news(), replica))
            sys.stdout.write(json.dumps(source.writer.size()) + "\n")
            sys.stdout.flush()


def test_writer_and_replica_are_killed_in_the_middle(tmp_path: Path) -> None:
    """Both die at once, again and again: the replica has every commit that was told, and at most the one after it."""
    chance = random.Random(6)
    replica = tmp_path / "there" / "a.db"
    words = [sys.executable, __file__, str(tmp_path)]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(4):
        with subprocess.Popen(words, stdout=subprocess.PIPE, env=paths) as child:
            assert child.stdout is not None
            told = [int(child.stdout.readline()) for _ in range(chance.randrange(2, 20))]
            os.kill(child.pid, signal.SIGKILL)
            told += map(int, filter(None, child.stdout.read().split(b"\n")))
        held = taken_over(replica, tmp_path / "over")
        with open_store(tmp_path / "over" / "a.db") as over, open_store(tmp_path / "a.db") as source:
            assert told[-1] <= over.size() <= source.size()
        with source_at(tmp_path / "a.db", chance) as source:
            connect(source.writer, Replica(replica))
            assert taken_over(replica, tmp_path / "over") == dump(tmp_path / "a.db")
        assert held
    assert text_path(replica.with_name("a.db.replica")).exists()


if __name__ == "__main__":
    write_for_ever(Path(sys.argv[1]))
