"""Which frames of a write-ahead log are committed: as SQLite itself finds when it reads the log after a crash."""

import random
import shutil
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest

from minicrawl.store.replicas.log_file import Mark, committed, has

PAGE, FRAME = 512, 536
HEAD = 32


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store whose log has transactions of many sizes, one that was rolled back, and the rest of an earlier log."""
    path = tmp_path / "a.db"
    chance = random.Random(7)
    db = sqlite3.connect(path, isolation_level=None)
    for statement in (f"page_size = {PAGE}", "journal_mode = WAL", "wal_autocheckpoint = 0", "cache_size = 5"):
        db.execute(f"PRAGMA {statement}")
    db.execute("CREATE TABLE t (x)")
    for _ in range(2):
        for count in (1, 30, 2, 9, 60, 3):
            db.execute("BEGIN")
            db.executemany(
                "INSERT INTO t VALUES (?)", ((chance.randbytes(chance.randrange(900)),) for _ in range(count))
            )
            db.execute("ROLLBACK" if count == 60 else "COMMIT")
        last = path.with_name("last")
        for ending in ("", "-wal"):
            shutil.copy(f"{path}{ending}", f"{last}{ending}")
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        db.execute("DELETE FROM t WHERE rowid % 3 = 0")  # the log begins anew, over the old one
        db.execute("DELETE FROM t WHERE rowid % 5 = 0")
        db.execute("DELETE FROM t WHERE rowid % 7 = 0")
        db.execute("DELETE FROM t WHERE rowid % 11 = 0")
    for ending in ("", "-wal"):
        shutil.copy(f"{path}{ending}", f"{last}{ending}")
    db.close()
    return last


def content(store: Path, log: bytes, where: Path) -> list[tuple[bytes]]:
    """What SQLite finds in a store with this log."""
    where.mkdir(exist_ok=True)
    shutil.copy(store, where / "b.db")
    (where / "b.db-wal").write_bytes(log)
    with closing(sqlite3.connect(where / "b.db")) as db:
        return db.execute("SELECT rowid, x FROM t").fetchall()


def shipped(log: Path, since: Mark | None = None, most: int = 5 * FRAME) -> tuple[bytes, Mark | None]:
    """The committed bytes, put together; and the last mark."""
    whole, last = bytearray(), since
    for start, some, last in committed(log, since, most):  # noqa: B007
        assert len(some) <= max(most, FRAME) + HEAD
        whole[start:] = some
    return bytes(whole), last


def test_committed_bytes_are_those_that_sqlite_recovers_wherever_the_log_is_cut(store: Path, tmp_path: Path) -> None:
    whole = Path(f"{store}-wal").read_bytes()
    log = tmp_path / "cut"
    chance = random.Random(3)
    seen = set()
    for size in {0, 10, HEAD, len(whole), *(chance.randrange(len(whole)) for _ in range(60))}:
        log.write_bytes(whole[:size])
        some, mark = shipped(log, most=chance.choice([1, 5 * FRAME, 10**6]))
        ends = mark.end if mark else 0
        assert (mark is None, whole[:ends]) == (not ends, some[:ends])
        assert content(store, some[:ends], tmp_path / "own") == content(store, whole[:size], tmp_path / "sqlite")
        seen.add(ends)
    assert len(seen) > 3


def test_flipped_bit_ends_what_is_committed(store: Path, tmp_path: Path) -> None:
    whole = Path(f"{store}-wal").read_bytes()
    end = shipped(Path(f"{store}-wal"))[0]
    log = tmp_path / "flipped"
    chance = random.Random(5)
    for _ in range(40):
        at = chance.randrange(len(end))
        log.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :])
        some, mark = shipped(log)
        assert not mark or mark.end <= at or at < HEAD
        ends = mark.end if mark else 0
        assert content(store, some[:ends], tmp_path / "own") == content(store, log.read_bytes(), tmp_path / "sqlite")


def test_log_goes_on_from_every_mark_of_it_and_from_no_other(store: Path, tmp_path: Path) -> None:
    path = Path(f"{store}-wal")
    whole, last = shipped(path)
    marks = {mark for _, _, mark in committed(path, None, FRAME) if mark}
    assert len(marks) > 3
    for mark in marks:
        assert has(path, mark)
        rest, _ = shipped(path, mark)
        assert rest == whole[mark.end :]
        assert not has(path, mark._replace(sums=(0, 0)))
        assert not has(path, mark._replace(salts=(0, 0)))
        assert shipped(path, mark._replace(salts=(0, 0))) == (whole, last), "another log is read from its beginning"
    assert not has(tmp_path / "none", last or Mark((0, 0), 0, (0, 0)))
    assert list(committed(tmp_path / "none", None, 1)) == []


def summed(words: tuple[int, ...], s0: int = 0, s1: int = 0) -> tuple[int, int]:
    """The checksum as the format's description has it."""
    for x0, x1 in zip(words[::2], words[1::2], strict=True):
        s0 = (s0 + x0 + s1) % 2**32
        s1 = (s1 + x1 + s0) % 2**32
    return s0, s1


def test_checksums_of_other_machines_are_read(store: Path, tmp_path: Path) -> None:
    """The same log as a big-endian machine writes it, which SQLite reads here, too."""
    whole, _ = shipped(Path(f"{store}-wal"))

    def words(some: bytes) -> tuple[int, ...]:
        return struct.unpack(f">{len(some) // 4}I", some)

    head = struct.pack(">I", 0x377F0683) + whole[4:24]
    sums = summed(words(head))
    made = head + struct.pack(">2I", *sums)
    for at in range(HEAD, len(whole), FRAME):
        frame = whole[at : at + FRAME]
        sums = summed(words(frame[:8] + frame[24:]), *sums)
        made += frame[:16] + struct.pack(">2I", *sums) + frame[24:]
    log = tmp_path / "big"
    log.write_bytes(made)
    assert shipped(log)[0] == made
    assert content(store, made, tmp_path / "own") == content(store, whole, tmp_path / "sqlite")
