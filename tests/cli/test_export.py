"""minicrawl export"""

from pathlib import Path

from support.command_line import answer, run


def test_report_is_one_file(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    result = run("report", file, "--store", store)
    assert result.exit_code == 0
    assert result.stdout == f"report of {file.stat().st_size / 1000:,.0f} kB written to {file}\n"
    text = file.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "Issues" in text
    assert answer("report", file, "--store", store) == {"file": str(file), "bytes": file.stat().st_size}


def test_bad_place_and_no_store_are_sentences(store: Path, tmp_path: Path) -> None:
    result = run("report", tmp_path / "no" / "report.html", "--store", store)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert run("report", tmp_path / "report.html", "--store", tmp_path / "none.db").exit_code == 3
    assert not (tmp_path / "report.html").exists()
