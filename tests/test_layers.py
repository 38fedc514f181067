"""Who may import whom: the house, held by a test."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from table import each

ROOT = Path(__file__).parent.parent / "minicrawl"

# What each part may import of ours, beside itself, errors, model and settings.
MAY_IMPORT = {
    "opic": set(),
    "rank": set(),
    "settings": set(),
    "store": set(),
    "crawler": {"opic", "store", "rank"},
    "export": {"store"},
    "demo": {"rank"},
    "graphs": {"rank", "store", "export"},
    "lab": {"opic", "rank", "store", "graphs"},
    "analysis": {"crawler", "opic", "rank", "store", "graphs"},
    "cli": {"crawler", "store", "export", "demo", "graphs", "lab", "analysis", "opic", "rank"},
}
PURE = {"opic", "rank"}
FOR_EVERYONE = {"timing", "errors", "model", "report", "settings", "sizes"}

# Libraries that belong to one place each.
HOMES = {
    "httpx": {"crawler/http/httpx_transport.py"},
    "aiohappyeyeballs": {"crawler/http/wire/pool.py"},
    "zlib_ng": {"crawler/http/codings.py"},
    "brotli": {"crawler/http/codings.py"},
    "backports": {"crawler/http/codings.py"},
    "aiodns": {"crawler/net/dns.py"},
    "aiohttp": {"demo/server.py"},
    "lxml": {"crawler/html/plain_tree.py", "crawler/sitemaps/reading.py"},
    "selectolax": {"crawler/html/browser_tree.py"},
    "charset_normalizer": {"crawler/html/decode.py"},
    "sqlite3": {
        f"store/{name}.py" for name in ("database", "upgrade", "reader", "read/tables", "tallies", "upkeep", "wreck")
    },
    "click": {f"cli/{path.name}" for path in (ROOT / "cli").glob("*.py")},
    "rich": {"cli/display.py"},
    "ada_url": {"crawler/urls/normalise.py"},
    "tldextract": {"crawler/urls/keys.py"},
    "filelock": {"store/database.py"},
    "numba": {"lab/heap.py", "lab/compiled.py"},
    "matplotlib": {"lab/chart.py", "graphs/drawing.py"},
}
# The pure parts read no clock, own no randomness and touch no files.
IMPURE = {"time", "random", "os", "io", "pathlib", "socket", "asyncio", "datetime", "logging"}


def imports(path: Path) -> set[str]:
    """Modules a file imports, in full."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
    return found


FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


@each("file", FILES)
def test_file_imports_only_what_its_part_may(file: str) -> None:
    part = file.split("/", maxsplit=1)[0]
    if part not in MAY_IMPORT:
        return
    ours = {name.split(".")[1] for name in imports(ROOT / file) if name.startswith("minicrawl.")}
    allowed = MAY_IMPORT[part] | {part} | (set() if part in PURE else FOR_EVERYONE)
    if part == "cli":
        allowed.add("__version__")
    assert ours <= allowed


@each("file", FILES)
def test_library_is_imported_where_it_lives(file: str) -> None:
    roots = {name.split(".")[0] for name in imports(ROOT / file)}
    assert {library for library in roots & HOMES.keys() if file not in HOMES[library]} == set()


@each("file", [file for file in FILES if file.split("/")[0] in PURE])
def test_pure_part_does_no_io(file: str) -> None:
    assert {name.split(".")[0] for name in imports(ROOT / file)} & IMPURE == set()


def patched(path: Path) -> Iterator[str]:
    """What a file of tests sets by monkeypatch.setattr(target, name, ...) or ("target.name", ...)."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setattr":
            words = (word.value for word in node.args[:2] if isinstance(word, ast.Constant))
            yield from (word for word in words if isinstance(word, str))


# How a page's turn ends is counted as it happens: that has no public name.
MAY_BE_PATCHED = {"_visit"}


@each("file", sorted(Path(__file__).parent.rglob("test_*.py")))
def test_sizes_and_times_are_passed_in_not_patched(file: Path) -> None:
    """No test patches a private name: what is private may change, and the test would go on."""
    names = {name.rpartition(".")[2] for name in patched(file)}
    assert {name for name in names if name.startswith("_") and not name.startswith("__")} <= MAY_BE_PATCHED


@each("file", sorted(Path(__file__).parent.rglob("*.py")))
def test_what_tests_share_stands_in_a_module_of_its_own(file: Path) -> None:
    """No test is imported by another: whoever changes one sees all that it is good for."""
    names = {part for name in imports(file) for part in name.split(".")}
    assert {name for name in names if name.startswith("test_")} == set()


def test_every_part_is_in_the_table() -> None:
    assert {file.split("/")[0] for file in FILES if "/" in file} == MAY_IMPORT.keys()


FOLDERS = sorted({path.parent.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py")})


def rooms() -> list[str]:
    """The folders of the live crawl, in the order of their map."""
    text = ast.get_docstring(ast.parse((ROOT / "crawler/__init__.py").read_text("utf-8"))) or ""
    return [line.split()[0] for line in text.split("\n\n")[1].splitlines()]


@each("file", [file for file in FILES if file.startswith("crawler/") and file.count("/") > 1])
def test_folder_of_the_crawl_imports_only_from_those_before_it(file: str) -> None:
    order = rooms()
    room = file.split("/")[1]
    named = [name.split(".") for name in imports(ROOT / file) if name.startswith("minicrawl.crawler.")]
    above = {".".join(name) for name in named if name[2] not in order[: order.index(room) + 1]}
    assert above == set()


@each("folder", [folder for folder in FOLDERS if folder != "cli"])  # whose modules are the commands
def test_map_of_a_folder_names_all_that_is_in_it(folder: str) -> None:
    text = ast.get_docstring(ast.parse((ROOT / folder / "__init__.py").read_text("utf-8"))) or ""
    words = set(re.findall(r"[\w.]+", text))
    modules = {path.stem for path in (ROOT / folder).glob("*.py")} - {"__init__", "__main__"}
    folders = {path.parent.name for path in (ROOT / folder).glob("*/__init__.py")}
    assert (modules | folders) - words == set()


@each("folder", FOLDERS)
def test_no_folder_has_more_than_twelve_modules(folder: str) -> None:
    assert len(list((ROOT / folder).glob("*.py"))) <= 13 or folder in {"cli", "lab", "rank"}  # with its map


TESTS = Path(__file__).parent
WITHOUT_A_TEST = {
    **dict.fromkeys(("model", "sizes", "timing", "store/rows", "crawler/known/known_web"), "plain values"),
    **dict.fromkeys(("crawler/sources/source", "crawler/html/tree"), "protocols"),
    "crawler/admission/traps/page_content": "plain values",
}
"""Modules with nothing that could break, and why."""
TESTED_WITH_OTHERS = {
    "crawler/admission/admission": "crawler/known/test_discovery",
    "crawler/books/accounts": "crawler/test_absorb",
    "crawler/books/stored_accounts": "crawler/test_history",
    "crawler/books/stored_forms": "store/test_damage",
    "crawler/html/browser_tree": "crawler/html/test_plain_tree",
    "crawler/known/known_pages": "crawler/test_absorb",
    "crawler/known/loading": "crawler/hosts/test_stored_times",
    "crawler/known/settling": "crawler/test_absorb",
    "crawler/progress": "crawler/test_engine",
    "crawler/requests/host_turns": "crawler/test_gaps",
    "crawler/requests/look_up": "crawler/test_locating",
    "crawler/requests/outage_watch": "crawler/requests/test_liveness",
    "crawler/requests/page": "crawler/requests/test_due",
    "crawler/requests/probe": "crawler/recognise/test_soft404",
    "crawler/run": "crawler/test_resume",
    "crawler/sitemaps/queue": "crawler/requests/test_sitemap",
    "crawler/sources/local": "crawler/http/test_exchange",
    "crawler/sources/worker": "crawler/sources/test_workers",
    "crawler/visits/max_depth": "crawler/test_depth",
    "crawler/visits/merging": "crawler/recognise/test_duplicates",
    "crawler/visits/outlinks": "crawler/test_absorb",
    "crawler/visits/recognition": "crawler/recognise/test_duplicates",
    "crawler/visits/soft_errors": "crawler/recognise/test_soft404",
    "crawler/visits/visit": "crawler/test_absorb",
    "store/read/link_table": "store/test_reader",
    "store/read/page_table": "store/test_reader",
    "store/read/recognised": "crawler/recognise/test_duplicates",
    "store/read/sitemaps": "crawler/requests/test_sitemap",
    "store/read/soundness": "store/test_damage",
    "store/writer": "store/test_making",
}
"""Modules that have no test of their own, and what tests them. None is to come to these: this table only shrinks."""


def test_every_module_has_the_test_of_its_name() -> None:
    modules = [Path(file).with_suffix("") for file in FILES if Path(file).stem not in {"__init__", "__main__"}]
    untested = {str(each) for each in modules if not (TESTS / each.parent / f"test_{each.name}.py").exists()}
    assert untested == WITHOUT_A_TEST.keys() | TESTED_WITH_OTHERS.keys()
    assert {test for test in TESTED_WITH_OTHERS.values() if not (TESTS / f"{test}.py").exists()} == set()
