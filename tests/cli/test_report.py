"""minicrawl report"""

from pathlib import Path

from support.command_line import HOME, answer, run
from support.sites import crawl


def test_report_is_one_file(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    result = run("report", file, "--store", store)
    assert result.exit_code == 0
    assert result.stdout == f"report of {file.stat().st_size / 1000:,.0f} kB written to {file}\n"
    text = file.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "Issues" in text
    assert answer("report", file, "--store", store) == {"file": str(file), "bytes": file.stat().st_size}


def test_report_compares_with_an_older_crawl(store: Path, tmp_path: Path) -> None:
    crawl({HOME: ["/new"], HOME + "new": []}, tmp_path / "new.db", [HOME])
    result = run("report", tmp_path / "report.html", "--store", tmp_path / "new.db", "--compare", store)
    assert result.exit_code == 0
    assert "Pages gone" in (tmp_path / "report.html").read_text("utf-8")
    assert run("report", tmp_path / "r.html", "--store", store, "--compare", tmp_path / "none.db").exit_code == 3


def test_report_leaves_out_what_the_audit_ignores(store: Path, tmp_path: Path) -> None:
    file, ignored = tmp_path / "report.html", tmp_path / "ignored.txt"
    ignored.write_text("broken-link *\n")
    assert run("report", file, "--store", store).exit_code == 0
    assert "rule-broken-link" in file.read_text("utf-8")
    assert run("report", file, "--store", store, "--ignore", ignored).exit_code == 0
    assert "rule-broken-link" not in file.read_text("utf-8")
    ignored.write_text("broken-linc *\n")
    assert run("report", file, "--store", store, "--ignore", ignored).exit_code == 2


def test_bad_place_and_no_store_are_sentences(store: Path, tmp_path: Path) -> None:
    result = run("report", tmp_path / "no" / "report.html", "--store", store)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert run("report", tmp_path / "report.html", "--store", tmp_path / "none.db").exit_code == 3
    assert not (tmp_path / "report.html").exists()
