"""What docs/parts.md shows, put into a copy of the product and used."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.documents import ROOT, blocks, text
from support.patience import PATIENCE

from minicrawl.parts import CONTRACT

PAGE = ROOT / "docs" / "parts.md"
pytestmark = pytest.mark.slow

CRAWLS = """
import json, sys
from pathlib import Path

from click.testing import CliRunner
from support.sites import crawl

from minicrawl.cli import main

store, options, words = Path("crawl.db"), json.loads(sys.argv[1]), sys.argv[2:]
home = "http://a.test/"
crawl({home: [f"/{'long' * 30}"], f"{home}{'long' * 30}": [home]}, store, [home], **options)
print(CliRunner().invoke(main, [*words, "--store", str(store)], catch_exceptions=False).output)
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The product, to be changed."""
    shutil.copytree(ROOT / "minicrawl", tmp_path / "minicrawl", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def said(copy: Path, options: dict[str, object], *words: str) -> str:
    """What a command says of a crawl with these options."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(copy), str(ROOT / "tests")])}
    command = [sys.executable, "-c", CRAWLS, json.dumps(options), *words]
    done = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_part_is_added(copy: Path) -> None:
    code = "".join(blocks(PAGE, "python"))
    file = copy / code.splitlines()[0].removeprefix("# ")
    file.parent.mkdir()
    file.write_text(code)
    assert re.search(r"^type      text/html.*: 2$", said(copy, {"types": True}, "status"), re.MULTILINE)
    (copy / "crawl.db").unlink()
    assert "type      " not in said(copy, {}, "status")


def test_a_rule_is_added(copy: Path) -> None:
    (rule,) = blocks(PAGE, "toml")
    with (copy / "minicrawl" / "audit" / "rules.toml").open("a") as rules:
        rules.write(f"\n{rule}")
    findings = json.loads(said(copy, {}, "audit", "--json"))["findings"]
    (found,) = [one for one in findings if one["rule"] == "long-address"]
    assert (len(found["target"]), found["detail"]) == (134, "134 characters")


def test_a_setting_is_added(copy: Path) -> None:
    (setting,) = blocks(PAGE, "py")
    file = copy / "minicrawl" / "settings" / "options.py"
    head, group, rest = file.read_text().partition("    SCOPE = ")
    file.write_text(f"{head}{setting}\n{group}{rest}")
    said(copy, {"most_links": 3}, "status")
    settings = json.loads(said(copy, {}, "sql", "SELECT value FROM meta WHERE key = 'settings'", "--json"))
    assert json.loads(settings[0]["value"])["most_links"] == 3  # remembered


def test_page_names_the_version() -> None:
    assert f"Version {CONTRACT} (" in text(PAGE)
