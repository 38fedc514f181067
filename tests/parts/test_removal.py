"""A part is one folder: with it taken away all else works, and says what it said before."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.patience import PATIENCE

from minicrawl.parts import Part, parts

ROOT = Path(__file__).parents[2]
NAMES = sorted({part.__module__.split(".")[2] for part in parts()})

SAYS = '''
"""All modules, the help of all commands, a crawl and what commands say of it, as a line of JSON. Argument: a folder."""

import importlib, json, pkgutil, sys
from pathlib import Path

from click.testing import CliRunner
from support.sites import crawl

import minicrawl
from minicrawl.cli import _COMMANDS, main
from minicrawl.settings import SETTINGS

for module in pkgutil.walk_packages(minicrawl.__path__, "minicrawl."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if error.name.startswith("minicrawl"):
                raise

home, store = "http://a.test/", Path(sys.argv[1]) / "crawl.db"
site = {home: ["/a", "/b", "<title>Home</title>"], home + "a": ["/b", "/missing"], home + "b": home}
crawl(site, store, [home], audit=True)

def answer(*words):
    found = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    assert found.exit_code in (0, 1), found.output
    return found.output.replace(str(store), "STORE")

of_store = {"why": ["why", home + "a"], "status": ["status"], "audit": ["audit", "--json"], "check": ["check"]}
said = {name: answer(*line, "--store", store) for name, line in of_store.items()}
said |= {"rules": answer("audit", "--rules"), "settings": list(SETTINGS)}
said["commands"] = [name for name in _COMMANDS if answer(name, "--help").startswith("Usage: ")]
print(json.dumps(said))
'''


def copied(folder: Path, without: str = "") -> None:
    """The product and its tests, without a part and its own tests."""
    left_out = shutil.ignore_patterns("__pycache__")
    for name in ("minicrawl", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=left_out)
        if without:
            shutil.rmtree(folder / name / "parts" / without, ignore_errors=name == "tests")
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "docs", "bench", "packaging"):
        (folder / name).symlink_to(ROOT / name)


def ran(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """What Python says, run where the copy is what it imports."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(folder / "tests")])}
    command = [sys.executable, *map(str, words)]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=10 * PATIENCE
    )


def said(folder: Path, without: str = "") -> dict[str, Any]:
    copied(folder, without)
    (folder / "says.py").write_text(SAYS)
    done = ran(folder, folder / "says.py", folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the product says as it is."""
    return said(tmp_path_factory.mktemp("whole"))


def settings_of(name: str) -> list[str]:
    """The settings of the part in a folder."""
    kinds: list[type[Part]] = [part for part in parts() if part.__module__.split(".")[2] == name]
    return [setting for part in kinds if part.SETTINGS for setting in part.SETTINGS.__annotations__]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_rest_says_the_same_without_a_part(name: str, whole: dict[str, Any], tmp_path: Path) -> None:
    rest = said(tmp_path, without=name)
    assert set(whole["settings"]) - set(rest["settings"]) == set(settings_of(name))
    for what in ("why", "status", "check"):
        assert steady(rest[what]) == steady(whole[what]), what
    own = {rule.name for part in parts() if part.__module__.split(".")[2] == name for rule in part.rules()}
    audit = json.loads(whole["audit"])
    audit["rules"] = [rule for rule in audit["rules"] if rule["name"] not in own]
    assert steady(json.dumps(json.loads(rest["audit"]), indent=1)) == steady(json.dumps(audit, indent=1))
    rules = re.split(r"\n(?=\S)", whole["rules"].rstrip())
    assert re.split(r"\n(?=\S)", rest["rules"].rstrip()) == [rule for rule in rules if rule.split()[0] not in own]
    assert rest["commands"] == whole["commands"]


def steady(text: str) -> list[str]:
    """The lines of what is said, without fractions and times, which are others in every run."""
    return [re.sub(r"\d+\.\d+\S*|\d+-\d\d-\d\d[T ]\S*|\d+ m?s\b", "N", line) for line in text.splitlines()]


_OF_ALL_PARTS = re.compile(r"support\.(?:documents|sample_stores)")


def files_about(name: str) -> list[Path]:
    """The files of tests that may break without a part, as they name it or its settings; but for those of documents and
    of stores of earlier versions, which have all parts. All are run without it that are no tests of its own."""
    names = "|".join({name, *settings_of(name), *(word.replace("_", "-") for word in settings_of(name))})
    named = re.compile(rf"(?<![\w/.])(?:--)?(?:{names})(?![\w./])")
    tests = ROOT / "tests"
    files = [path for path in sorted(tests.rglob("test_*.py")) if tests / "parts" not in path.parents]
    return [
        path.relative_to(ROOT)
        for path in files
        if named.search(text := path.read_text("utf-8")) and not _OF_ALL_PARTS.search(text)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_other_test_needs_a_part(name: str, tmp_path: Path) -> None:
    files = files_about(name)
    if not files:  # nothing but its own tests names it
        return
    copied(tmp_path, name)
    done = ran(tmp_path, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *files)
    assert done.returncode in (0, 5), f"{done.stdout[-6000:]}\n{done.stderr[-2000:]}"
