"""`minicrawl cluster index` and `search`."""

import asyncio
from pathlib import Path

import pytest
from support.cluster_runs import SETTINGS, folder_at, run_in_parts
from support.command_line import answer, run


def test_pages_of_all_partitions_are_found_by_words(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    asyncio.run(run_in_parts(folder, 2, SETTINGS | {"text": True}))
    result = run("cluster", "search", "bridge", "--store", folder)
    assert (result.exit_code, "yet; 'minicrawl cluster index' makes it" in result.stderr) == (2, True)
    told = answer("cluster", "index", "--store", folder)
    assert told["taken_in"] > 100
    assert run("cluster", "index", "--store", folder).output.startswith("0 texts taken in; the indexes have ")
    pages = answer("cluster", "search", "golden", "-island", "--n", "5", "--store", folder)
    assert [page["rank"] for page in pages] == [1, 2, 3, 4, 5]
    output = run("cluster", "search", "golden", "-island", "--n", "5", "--explain", "--store", folder).output
    assert all(page["url"] in output for page in pages)
    assert "x agreement" in output
    assert "Nothing was found" in run("cluster", "search", "qqqqqq", "--store", folder).output


@pytest.mark.parametrize("command", [["index"], ["search", "word"]])
def test_without_texts_there_is_a_sentence(tmp_path: Path, command: list[str]) -> None:
    folder = folder_at(tmp_path / "web", 2).path
    result = run("cluster", *command, "--store", folder)
    assert (result.exit_code, "has texts to" in result.stderr) == (2, True)
