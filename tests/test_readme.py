"""What the README promises. That its commands, links and options are right is held by test_docs.py."""

import re

from support.documents import ROOT, links, rows, shown_commands, text

from minicrawl.demo.web import DemoWeb

README = ROOT / "README.md"


def test_readme_is_short() -> None:
    assert len(text(README).splitlines()) <= 130


def test_first_screen_has_the_two_lines_that_ci_runs_first() -> None:
    first_screen = text(README).splitlines()[:25]
    lines = [line for line in first_screen if line.startswith("python3 -m venv .venv && ")]
    assert [line.rpartition(" && ")[2] for line in lines] == [".venv/bin/minicrawl demo", ".venv/bin/pytest"]
    steps = re.findall(r"^step (.*)", text(ROOT / ".ci/run"), re.MULTILINE)
    assert [word in line for word, line in zip(("'.[demo]' &&", "'.[dev]' &&"), lines, strict=True)] == [True, True]
    assert steps[0].startswith("line \"'.[demo]' &&\"")
    assert steps[1].startswith("line \"'.[dev]' &&\"")


def test_readme_shows_a_crawl_and_a_picture_of_it() -> None:
    assert [words[0] for words in shown_commands(README)] == ["crawl", "why", "export", "check", "sql"]
    assert "docs/pictures/demo.svg" in links(README)


def test_map_has_every_part() -> None:
    folders = [cells[0] for cells in rows(README)]
    parts = [path.name for path in (ROOT / "minicrawl").iterdir() if (path / "__init__.py").exists()]
    assert [part for part in parts if not any(f"`{part}/`" in cell for cell in folders)] == []


def test_demo_seed_file_names_the_seeds_of_the_demo() -> None:
    from minicrawl.crawler.admission.seeds import read_seeds

    assert read_seeds([str(ROOT / "seeds/demo.txt")]) == list(DemoWeb.generate().seeds)
    assert len(read_seeds([str(ROOT / "seeds/web.txt")])) == 12
