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
