"""Bodies of other archives are found by digest, whatever their index has besides."""

import hashlib
import json
import os
import random
from pathlib import Path

import pytest

from minicrawl.archive import digests
from minicrawl.archive.cdxj import Captured, line, seconds
from minicrawl.archive.digests import OtherBodies, index_at, prepare
from minicrawl.archive.record import sha1
from minicrawl.errors import SettingError


def digest(number: int) -> bytes:
    return hashlib.sha1(str(number).encode()).digest()


def found(place: Path, folder: Path, *numbers: int) -> list[str | None]:
    """URLs of bodies by number."""
    prepare([str(place)], folder)
    bodies = OtherBodies([str(place)], folder)
    try:
        originals = [bodies.find(digest(number)) for number in numbers]
    finally:
        bodies.close()
    assert all(one is None or one.at == seconds("20260101000000") for one in originals)
    return [None if one is None else one.url for one in originals]


def indexed(number: int, **facts: object) -> str:
    one = Captured(
        f"http://h.test/{number}", "20260101000000", "text/html", 200, sha1(digest(number)), "f", 0, 9, False
    )
    return line(one._replace(**facts))  # type: ignore[arg-type]


def test_every_body_is_found_in_its_run_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "RUN", 1200)
    for size in (0, 1, 600, 1200, 1201, 5000):
        index = tmp_path / f"{size}.cdxj"
        lines = [indexed(number) for number in range(size)]
        random.Random(size).shuffle(lines)
        index.write_text("".join(f"{text}\n" for text in ("!meta {}", *lines, *lines[:3])))
        expected = [f"http://h.test/{number}" for number in range(size)]
        assert found(index, tmp_path / "ours", *range(size), 10**6, 10**6 + 1) == [*expected, None, None]


def test_lines_of_others_are_read_and_only_whole_pages_count(tmp_path: Path) -> None:
    bare = {"url": "http://h.test/0", "status": 200, "digest": sha1(digest(0))[5:], "filename": "f", "offset": "0"}
    begun_alike = sha1(digest(4))[:13] + "A" * 24
    lines = [
        f"test,h)/0 20260101000000 {json.dumps(bare)}",
        indexed(1, is_revisit=True),
        indexed(2, status=404),
        indexed(3, url="http://h.test/\r\nX: y"),
        indexed(4, digest=begun_alike),
        indexed(5, digest="sha1:" + "0" * 40),
        '{"digest": "' + "A" * 32 + '", "status": "200"',
        "",
    ]
    index = tmp_path / "x.cdxj"
    index.write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\n")
    assert found(index, tmp_path / "ours", *range(6)) == ["http://h.test/0", *[None] * 5]


def test_a_changed_index_is_read_anew_and_another_one_not(tmp_path: Path) -> None:
    index, ours = tmp_path / "x.cdxj", tmp_path / "ours"
    index.write_text(indexed(1) + "\n")
    assert found(index, ours, 1, 2) == ["http://h.test/1", None]
    (made,) = (ours / "indexes").iterdir()
    before = made.stat().st_mtime_ns
    found(index, ours)
    assert made.stat().st_mtime_ns == before
    index.write_text(indexed(2) + "\n")
    os.utime(index, ns=(before + 1, before + 1))
    assert found(index, ours, 1, 2) == [None, "http://h.test/2"]
    assert [path.name for path in (ours / "indexes").iterdir()] == [made.name]


def test_an_archive_without_index_is_told_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=f"make it by 'minicrawl archive index --archive {tmp_path}'"):
        index_at(str(tmp_path))
    with pytest.raises(SettingError, match=r"there is no index at .*none.cdxj; name another one"):
        index_at(str(tmp_path / "none.cdxj"))
