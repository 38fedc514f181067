"""minicrawl backup"""

from pathlib import Path

from support.command_line import answer, run

from minicrawl.store.reader import open_store


def test_a_copy_is_a_store_and_its_size_is_printed(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    result = run("backup", copy, "--store", store)
    assert (result.exit_code, result.output.startswith(f"{copy}: 5 pages, ")) == (0, True)
    with open_store(copy) as reader, open_store(store) as original:
        assert list(reader.page_table.urls()) == list(original.page_table.urls())


def test_a_file_that_is_there_is_replaced_only_by_force(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_text("precious")
    assert run("backup", copy, "--store", store).exit_code != 0
    assert copy.read_text() == "precious"
    told = answer("backup", copy, "--force", "--store", store)
    assert told == {"store": str(store), "file": str(copy), "pages": 5, "bytes": copy.stat().st_size}
