"""An experiment as files: rows that compare well, and a picture that is the same each time."""

from pathlib import Path

from minicrawl.experiment import Curve, Panel, Result
from minicrawl.lab.chart import write

PANEL = Panel("panel", "x", "y", [Curve("one", [0, 1], [1.0, 2.0]), Curve("other", [0, 1], [10.0, 1.0])], log=True)
RESULT = Result("small", "A small result", ("name", "value"), [("a", 1 / 3), ("b", 2)], [PANEL], [])


def test_rows_have_four_digits_and_pictures_the_same_bytes(tmp_path: Path) -> None:
    rows, chart = write(RESULT, tmp_path / "new")
    assert rows.read_text() == "name,value\na,0.3333\nb,2\n"
    drawn = chart.read_bytes()
    assert b"A small result" in drawn
    assert write(RESULT, tmp_path / "new")[1].read_bytes() == drawn
