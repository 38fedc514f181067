"""The table of claims: its form, the commands that it names, and the modules."""

import re
import shlex

import pytest
from support.command_line import run
from support.documents import LAB, ROOT, parse, rows

DOCUMENTS = ["OPIC", "SPAWC", "Seeds", "Lecture"]
ROWS = [row for row in rows(LAB) if row[0] in DOCUMENTS and len(row) > 2]  # two cells: what the document is
COMMANDS = sorted({span for row in ROWS for span in re.findall(r"`([^`]+)`", row[4])})
NOT_BUILT = "not built: "


def test_rows_are_in_the_order_of_the_documents() -> None:
    assert len(ROWS) > 200
    places = [DOCUMENTS.index(row[0]) for row in ROWS]
    assert places == sorted(places)
    assert set(places) == set(range(len(DOCUMENTS)))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(row[:3])[:60])
def test_row_has_a_claim_its_kind_a_command_a_verdict_and_a_place(row: list[str]) -> None:
    _, section, claim, kind, command, verdict, where = row  # a bar in a cell that is not escaped would make more
    assert section
    assert claim.endswith((".", "?"))
    assert kind in {"algorithm", "figure", "system", "challenge"}
    assert re.fullmatch(r"`[^`]+`", command)
    assert re.match(r"(holds|does not hold|depends)\b", verdict)
    paths = re.findall(r"`([^`]+)`", where)
    assert paths or where.startswith(NOT_BUILT)
    assert all((ROOT / "minicrawl" / path).exists() for path in paths)
    named = re.findall(r"`(tests/[^`]+|bench/[^`]+)`", verdict)
    assert all((ROOT / path).exists() for path in named)


@pytest.mark.parametrize("command", COMMANDS)
def test_command_can_be_run(command: str) -> None:
    """Those of minicrawl are read as the program does; of others the file is there."""
    program, *words = shlex.split(command.replace("\\|", "|"))
    if program == "minicrawl":
        parse(words)
    else:
        assert program in {"pytest", "python"}
        assert any((ROOT / word).exists() for word in words)


QUICK = ["lab lecture", "lab spawc 12", "lab spawc sc3 --trials 3 --timeout 10 --validate", "lab seeds 11"]


@pytest.mark.slow
@pytest.mark.parametrize("words", QUICK)
def test_some_of_them_run(words: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert f"minicrawl {words}" in COMMANDS
    out = [] if words == "lab lecture" else ["--out", str(tmp_path_factory.mktemp("out"))]
    result = run(*shlex.split(words), *out)
    assert result.exit_code == 0, result.output
    assert "- holds: " in result.output
