"""What the README says is so."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from sites import Site, crawl

from minicrawl.cli import main
from minicrawl.demo.web import DemoWeb

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def commands(text: str) -> list[list[str]]:
    """The minicrawl command lines in a text's fenced blocks."""
    blocks = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    return [shlex.split(line)[1:] for block in blocks for line in block.splitlines() if line.startswith("minicrawl ")]


def test_session_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's commands, on a store that the first of them would have left."""
    site: Site = {"http://a.test/": ["/b"], "http://a.test/b": []}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seeds.txt").write_text("http://a.test/\n")
    (tmp_path / "data").mkdir()
    session = commands(README.partition("## A one-minute session")[2].partition("##")[0])
    assert [words[0] for words in session] == ["crawl", "top", "export", "status", "check"]
    crawl(site, tmp_path / "data/crawl.db", ["http://a.test/"])
    for words in session:
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, (words, result.output)
    assert (tmp_path / "ranks.csv").read_text().count("\n") == 3


def test_table_lists_every_command() -> None:
    listed = set(re.findall(r"^\| `minicrawl (\w+)", README, re.MULTILINE))
    assert listed == set(main.list_commands(None))  # type: ignore[arg-type]


def test_first_screen_has_the_test_command_that_ci_runs() -> None:
    assert ".venv/bin/pip install -q -e '.[dev]' && .venv/bin/pytest" in README
    assert ".venv/bin/pytest" in (ROOT / ".ci/run").read_text()


def test_files_and_folders_of_the_readme_exist() -> None:
    paths = re.findall(r"`((?:minicrawl|tests|bench|seeds|\.ci)/[\w./]*)`", README) + re.findall(
        r"\]\(([\w./]+)\)", README
    )
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_demo_seed_file_names_the_seeds_of_the_demo() -> None:
    from minicrawl.crawler.admission.seeds import read_seeds

    assert read_seeds([str(ROOT / "seeds/demo.txt")]) == list(DemoWeb.generate().seeds)
    assert len(read_seeds([str(ROOT / "seeds/web.txt")])) == 12
