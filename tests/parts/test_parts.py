"""A part is one folder: it is added by its folder alone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
PRODUCT = Path(__file__).parents[2] / "minicrawl"

SAYS = '''
"""A crawl, what commands say of it, and its settings, as one line of JSON: run with a folder as its argument."""

import json, sys
from pathlib import Path

from click.testing import CliRunner
from support.sites import crawl, rows

from minicrawl.cli import main
from minicrawl.settings import SETTINGS

home, store = "http://a.test/", Path(sys.argv[1]) / "crawl.db"
site = {home: ["/a", "/b", "<title>Home</title>"], home + "a": ["/b", "/missing"], home + "b": home}
settings = {"mark": "s3cret"} if "mark" in SETTINGS else {}
crawl(site, store, [home], audit=True, **settings)
words = {"why": ["why", home + "a"], "status": ["status"], "audit": ["audit", "--json"], "check": ["check"]}
words |= {"rules": ["audit", "--rules"], "help": ["crawl", "--help", "all"], "config": ["config", "init"]}
said = {}
for name, line in words.items():
    line = [*line, *([] if name in ("rules", "help", "config") else ["--store", str(store)])]
    answer = CliRunner().invoke(main, line, catch_exceptions=False)
    said[name] = answer.output.replace(str(store), "STORE")
said["tables"] = [name for (name,) in rows(store, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")]
if settings:
    marks = "SELECT url, mark, type FROM marks JOIN pages ON id = page ORDER BY url"
    salvaged = store.with_name("salvaged.db")
    CliRunner().invoke(main, ["salvage", str(salvaged), "--store", str(store)], catch_exceptions=False)
    said["file"] = rows(store, "SELECT value FROM meta WHERE key = 'mark_file'")
    said["marks"], said["salvaged"] = rows(store, marks), rows(salvaged, marks)
said["settings"] = list(SETTINGS)
print(json.dumps(said))
'''

MARKS = '''
"""Pages are marked as they are read (--mark)."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from minicrawl.parts.part import Part, own
from minicrawl.setting import TEXT, setting
from minicrawl.store.declaration import PageId, table


class Mark(NamedTuple):
    page: PageId
    mark: Annotated[str, "as asked for"]
    type: Annotated[str, "of its answer, as that says"]


table("marks", "pages that were marked", Mark, keys="page")


@dataclass(frozen=True)
class MarkSettings:
    mark: str = setting("", TEXT, "Mark pages with this word.")


class Marks(Part):
    SETTINGS, TOPIC = MarkSettings, "focus"

    @classmethod
    def of(cls, opening):
        from minicrawl.parts.marks.step import Marking

        mark = own(opening.settings, MarkSettings).mark
        return Marking(mark, opening.state) if mark else None

    @staticmethod
    def wants(settings):
        return ["content-type"] if own(settings, MarkSettings).mark else []

    @staticmethod
    def explain(store, page):
        for (mark,) in store.each("SELECT mark FROM marks WHERE page = ?", page):
            yield f"marked      {mark}"

    @staticmethod
    def figures(store):
        return {"pages": store.value("SELECT count(*) FROM marks")}

    @staticmethod
    def status(figures):
        yield f"marks     {figures['pages']}"

    @staticmethod
    def rules():
        from minicrawl.audit.rules import Rule, Severity

        yield Rule("marked", "SELECT page FROM marks", "It is marked.", "Do not mark it.", Severity.NOTICE, "content")
'''
MARKING = '''
"""The step that marks pages, and asks for a file of marks once they are read."""

from minicrawl.crawler.requests.request import Kind, Request
from minicrawl.crawler.visits.step import Step
from minicrawl.model import PageRequest
from minicrawl.parts.marks import Mark


class Marking(Step, Kind):
    outlasts_pages = True

    def __init__(self, mark, state):
        self._mark, self._rows, self._asked, self._is_due = mark, [], {}, True
        self._frontier, self.hosts = state.frontier, state.hosts

    def kinds(self):
        return [self]

    def on_turn(self, turn):
        types = [value for name, value in turn.fetched.fields if name == "content-type"]
        self._rows.append(Mark(turn.page, self._mark, ", ".join(types)))

    def save(self, writer):
        writer.put(Mark, self._rows)
        writer.save_meta(self._asked)
        self._rows.clear()

    def on_nothing_left(self, now):
        if is_due := self._is_due:
            self._frontier.add_errand(host := self.hosts.host("a.test"), MarkFile(self, host), now)
        self._is_due = False
        return is_due

    def on_file(self, errand, now):
        self.hosts.end_turn(errand.turn, errand.fetched, now)
        self._asked["mark_file"] = errand.fetched.status


class MarkFile(Request):
    waits = True

    def __init__(self, marking, host):
        super().__init__(marking.hosts, host, "http://a.test/mark.txt")
        self._marking = marking

    async def ask(self, source, deliver):
        self.fetched, _ = await source.page(PageRequest(self.url))

    def on_answer(self, now):
        self._marking.on_file(self, now)
'''


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the product says as it is."""
    return said(tmp_path_factory.mktemp("whole"))


def said(folder: Path, **added: str) -> dict[str, Any]:
    """What a copy of the product says, with a part that is added. added: the text of each of its modules."""
    shutil.copytree(PRODUCT, folder / "minicrawl", ignore=shutil.ignore_patterns("__pycache__"))
    if added:
        (folder / "minicrawl" / "parts" / "marks").mkdir()
        for name, text in added.items():
            (folder / "minicrawl" / "parts" / "marks" / f"{name}.py").write_text(text)
    (folder / "says.py").write_text(SAYS)
    path = os.pathsep.join([str(folder), str(PRODUCT.parent / "tests")])
    words = [sys.executable, str(folder / "says.py"), str(folder)]
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_part_is_added_by_its_folder_alone(whole: dict[str, Any], tmp_path: Path) -> None:
    more = said(tmp_path, __init__=MARKS, step=MARKING)
    assert set(more["settings"]) - set(whole["settings"]) == {"mark"}
    assert set(more["tables"]) - set(whole["tables"]) == {"marks"}
    pages = [f"http://a.test/{name}" for name in ("", "a", "b", "missing")]
    assert [mark[:2] for mark in more["marks"]] == [[page, "s3cret"] for page in pages]
    assert more["marks"][0][2].startswith("text/html")
    assert more["salvaged"] == more["marks"]
    assert more["file"] == [[404]]
    assert "marked      s3cret" in more["why"]
    assert "marks     4" in more["status"]
    found = [finding["target"] for finding in json.loads(more["audit"])["findings"] if finding["rule"] == "marked"]
    assert sorted(found) == pages
    assert "marked" in more["rules"]
    assert "--mark" in more["help"]
    assert "# mark = " in (tmp_path / "minicrawl.toml").read_text()
    assert more["check"] == whole["check"]
