"""minicrawl export"""

import csv
from pathlib import Path

from support.command_line import HOME, run


def test_exported_title_is_no_formula_and_no_escape_sequence(store: Path, tmp_path: Path) -> None:
    run("export", tmp_path / "ranks.csv", "--store", store)
    with (tmp_path / "ranks.csv").open(newline="") as lines:
        titles = {row["url"]: row["title"] for row in csv.DictReader(lines)}
    assert titles[HOME + "a"] == '\'=cmd("x")'
    assert "\x1b" not in run("top", "--store", store).output
