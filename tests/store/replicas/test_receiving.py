"""A replica takes parts in order, and the place of its store."""

import random
from pathlib import Path

import pytest
from support.dying import killed_at
from support.replicated import bring, connect, dump, source_at

from minicrawl.errors import StoreError
from minicrawl.store.reader import open_store
from minicrawl.store.replicas.receiving import FILE, GapError, Part, Replica
from minicrawl.store.replicas.sending import Sender
from minicrawl.store.texts.text_file import text_path
from minicrawl.store.writer import Writer


def replicated(folder: Path, commits: int = 6) -> list[str]:
    """A replica of a store, in folder/there; and what the store has."""
    with source_at(folder / "a.db", random.Random(1)) as source:
        sender = connect(source.writer, replica := Replica(folder / "there" / "a.db"))
        for _ in range(commits):
            source.commit(lambda: bring(sender.news(), replica))
        return dump(source.path)


def test_part_that_comes_again_is_ignored_and_one_behind_a_gap_refused(tmp_path: Path) -> None:
    replica = Replica(tmp_path / "a.db")
    replica.begin("one", 0)
    first, second, third = (Part("one", number, FILE, 4 * number - 4, b"part", None) for number in (1, 2, 3))
    assert replica.take(first) == 1
    with pytest.raises(GapError, match="part 2 is missing, and part 3 has come"):
        replica.take(third)
    assert (replica.take(second), replica.take(first._replace(some=b"????"))) == (2, 2)
    assert (tmp_path / "a.db.replica.new").read_bytes() == b"partpart"
    replica.begin("two", 0)
    with pytest.raises(GapError, match="another sender"):
        replica.take(third)


def test_copy_that_is_not_whole_takes_no_place(tmp_path: Path) -> None:
    replicated(tmp_path)  # whole, until a piece is replaced
    for replica in (Replica(tmp_path / "new.db"), Replica(tmp_path / "there" / "a.db")):
        replica.begin("one", 0)
        replica.digests()
        replica.take(Part("one", 1, FILE, 0, b"part", None))
        with pytest.raises(StoreError, match="there is no replica of this store, or it is not whole"):
            replica.take_over(1)
    assert not (tmp_path / "there" / "a.db").exists()


def test_store_that_lost_its_place_is_refused(tmp_path: Path) -> None:
    """Its sender may neither go on nor begin; the next generation has a replica in its turn, in the old place."""
    there = tmp_path / "there" / "a.db"
    with source_at(tmp_path / "a.db", random.Random(1)) as source:
        sender = connect(source.writer, replica := Replica(there))
        replica.take_over(1)
        source.commit()
        with pytest.raises(GapError, match="another sender"):
            bring(sender.news(), replica)
        for late in (replica, Replica(there)):
            with pytest.raises(GapError, match="has taken the place of this store"):
                late.begin(Sender(source.writer).session, 0)
    with source_at(there, random.Random(2)) as source:
        source.commit()
        back = Replica(tmp_path / "a.db")
        connect(source.writer, back)
        back.take_over(2)
        assert dump(tmp_path / "a.db") == dump(there)
    with open_store(tmp_path / "a.db") as store:
        assert store.meta("generation") == 2


@pytest.mark.parametrize("names", [("replace",), ("unlink",), ("fsync",)])
def test_taking_over_that_is_killed_can_be_repeated(names: tuple[str, ...], tmp_path: Path) -> None:
    for step in range(8):
        folder = tmp_path / str(step)
        (folder / "there").mkdir(parents=True)
        wanted = replicated(folder)
        there = folder / "there" / "a.db"
        Writer(there).close()  # a store of an earlier generation, to be replaced
        text_path(there).write_bytes(b"texts of that")
        killed_at(step, names, lambda there=there: Replica(there).take_over(1))  # type: ignore[misc]
        if there.with_name("a.db.replica").exists():
            Replica(there).take_over(1)
        assert dump(there) == wanted
