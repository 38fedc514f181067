"""minicrawl top"""

import csv
import json
from pathlib import Path

import pytest
from command_line import run


def test_top_prints_rank_importance_and_url(store: Path) -> None:
    lines = run("top", "--n", "2", "--store", store).output.splitlines()
    assert lines[0].split() == ["rank", "importance", "inlinks", "state", "url"]
    assert [line.split()[0] for line in lines[1:]] == ["1", "2"]


def test_top_as_json_is_the_order_of_the_export(store: Path, tmp_path: Path) -> None:
    top = json.loads(run("top", "--n", "100", "--json", "--store", store).stdout)
    file = tmp_path / "ranks.csv"
    assert run("export", file, "--store", store).output == f"5 pages written to {file}\n"
    with file.open(newline="") as lines:
        exported = list(csv.DictReader(lines))
    head = "rank,url,importance,history,cash,depth,status,inlinks,outlinks,fetched_at,title"
    assert file.read_text().startswith(head)
    assert [page["url"] for page in top] == [page["url"] for page in exported]
    assert sum(float(page["importance"]) for page in exported) == pytest.approx(1.0)
