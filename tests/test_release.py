"""The tree is fit for a release: docs/releasing.md."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from ready import faults
from support.documents import ROOT, all_options, rows
from support.patience import PATIENCE

import minicrawl

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_only_addresses_are_missing_for_a_release_of_this_version() -> None:
    missing = set(faults(f"v{minicrawl.__version__}"))
    assert all(re.match(r"pyproject.toml has .*https://minicrawl\.example/", sentence) for sentence in missing)
    assert set(faults("v0.9")) - missing == {
        f"the tag is v0.9, the version in minicrawl/__init__.py is {minicrawl.__version__}"
    }


def test_man_pages_have_every_command_and_option(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "packaging" / "man.py"], cwd=tmp_path, check=True, timeout=PATIENCE)
    pages = {path.stem: path.read_text("utf-8") for path in (tmp_path / "man").glob("*.1")}
    assert {"minicrawl", "minicrawl-crawl", "minicrawl-graph-export"} <= pages.keys()
    text = "".join(pages.values()).replace(r"\-", "-")
    assert [option for option in sorted(all_options() - {"-h", "--help"}) if option not in text] == []
    assert re.findall(r"^['.](?!TH|SH|B|TP|PP|nf|fi).*|[\x00-\x09\x0b-\x1f]", text, re.MULTILINE) == []


def test_every_library_of_an_installation_has_a_licence_in_the_list() -> None:
    listed = {cells[0] for cells in rows(ROOT / "packaging" / "licences.md")}
    extras = PROJECT["optional-dependencies"]
    asked = [
        *PROJECT["dependencies"],
        *(one for name, libraries in extras.items() if name not in {"dev", "docs"} for one in libraries),
    ]
    assert {canonicalize_name(Requirement(one).name) for one in asked} - {"minicrawl"} <= listed


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_of_others_are_named_by_their_content(path: Path) -> None:
    used = re.findall(r"uses: (.*)", path.read_text("utf-8"))
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", one)] == []
