"""Notes beside WARC files: found again by record; torn or damaged ones count as missing."""

import time
from pathlib import Path

from minicrawl.archive.sidecar import Sidecar, SidecarWriter, beside, damage
from minicrawl.archive.writer import Committed, cut

NOTES = {5: b"five", 900: b"", 1_000: b"x" * 300, 1 << 40: b"last"}


def noted(folder: Path, notes: dict[int, bytes] = NOTES, version: str = "v1") -> Path:
    """A WARC file with notes, and its path."""
    warc = folder / "archive" / "some.warc.gz"
    warc.parent.mkdir(parents=True, exist_ok=True)
    warc.write_bytes(b"records")
    writer = SidecarWriter(folder, version)
    for start, note in notes.items():
        writer.add(warc.name, start, note)
    writer.close()
    return warc


def kept(warc: Path, version: str = "v1") -> dict[int, bytes]:
    sidecar = Sidecar(warc, version)
    found = {start: note for start in (0, 6, *NOTES) if (note := sidecar.of(start)) is not None}
    sidecar.close()
    return found


def test_notes_are_found_by_the_position_of_their_record_and_through_a_link_to_the_file(tmp_path: Path) -> None:
    warc = noted(tmp_path)
    assert kept(warc) == NOTES
    (tmp_path / "link.warc.gz").symlink_to(warc)
    assert kept(tmp_path / "link.warc.gz") == NOTES
    assert kept(warc, "v2") == {}
    assert kept(tmp_path / "other.warc.gz") == {}
    assert damage(warc) is None


def test_a_torn_file_has_the_notes_before_the_tear(tmp_path: Path) -> None:
    warc = noted(tmp_path)
    whole = beside(warc).read_bytes()
    sizes = set[int]()
    for size in range(len(whole)):
        beside(warc).write_bytes(whole[:size])
        found = kept(warc)
        assert list(found.items()) == list(NOTES.items())[: len(found)]
        if damage(warc) is None:
            sizes.add(size)
    assert len(sizes) == 1 + len(NOTES)  # empty, with the version alone, and behind each note but the last


def test_a_damaged_byte_gives_no_wrong_note_and_is_told(tmp_path: Path) -> None:
    warc = noted(tmp_path)
    whole = beside(warc).read_bytes()
    for at in range(len("minicrawl-parsed-1 v1\n"), len(whole)):
        beside(warc).write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        found = kept(warc)
        assert len(found) < len(NOTES)
        assert found.items() <= NOTES.items()
        assert damage(warc) is not None


def test_a_file_is_cut_like_its_records(tmp_path: Path) -> None:
    warc = noted(tmp_path)
    warc.write_bytes(bytes(2_000))
    cut(tmp_path, Committed(("some",), {warc.name: 1_000}, time.time()))
    assert list(kept(warc)) == [5, 900]
    assert damage(warc) is None
    cut(tmp_path, Committed(("some",), {}, time.time()))
    assert not beside(warc).exists()
    assert not warc.exists()


def test_a_folder_that_cannot_be_written_to_gets_no_notes(tmp_path: Path) -> None:
    (tmp_path / "parsed").write_text("in the way")
    assert kept(noted(tmp_path)) == {}
