"""What the README promises. That its commands, links and options are right is held by test_docs.py."""

from support.documents import ROOT, links, rows, shown_commands, text

from minicrawl.demo.web import DemoWeb

README = ROOT / "README.md"


def test_readme_is_short() -> None:
    assert len(text(README).splitlines()) <= 130


def test_first_screen_has_the_test_command_that_ci_runs() -> None:
    first_screen = "\n".join(text(README).splitlines()[:25])
    assert ".venv/bin/pip install -q '.[demo]' && .venv/bin/minicrawl demo" in first_screen
    assert ".venv/bin/pip install -q -e '.[dev]' && .venv/bin/pytest" in first_screen
    ci = text(ROOT / ".ci/run")
    assert "-e '.[dev]'" in ci
    assert ".venv/bin/pytest\n" in ci


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
