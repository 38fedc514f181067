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
    "rank": {"opic"},
    "settings": set(),
    "sandbox": set(),
    "store": set(),
    "archive": set(),
    "crawler": {"opic", "store", "rank", "extract", "archive"},
    "extract": {"store", "export"},
    "export": {"store"},
    "demo": {"rank"},
    "graphs": {"rank", "store", "export"},
    "lab": {"opic", "rank", "store", "graphs"},
    "analysis": {"crawler", "opic", "rank", "store", "graphs", "archive", "export"},
    "control": {"crawler", "store"},
    "search": {"crawler", "store", "rank", "analysis"},
    "cluster": {"crawler", "control", "store", "opic", "extract", "analysis", "search"},
    "dashboard": {"analysis", "control", "crawler", "search", "store"},
    "cli": {"archive", "control", "search", "crawler", "store", "export", "demo", "graphs", "lab", "analysis", "opic"}
    | {"dashboard", "extract", "rank", "cluster"},
}
PURE = {"opic", "rank"}
FOR_EVERYONE = {"archive_record", "run_look", "timing", "errors", "events", "model", "report", "settings", "sizes"}
FOR_EVERYONE |= {"log", "sandbox", "system"}

# Libraries that belong to one place each.
HOMES = {
    "httpx": {"crawler/http/httpx_transport.py"},
    "aiohappyeyeballs": {"crawler/http/wire/pool.py"},
    "zlib_ng": {
        "crawler/http/codings.py",
        "store/texts/marked_text.py",
        "archive/record.py",
        "search/index/page_words.py",
    },
    "brotli": {"crawler/http/codings.py"},
    "backports": {"crawler/http/codings.py"},
    "aiodns": {"crawler/net/dns.py"},
    "aiohttp": {"demo/server.py"},
    "lxml": {"crawler/html/trees/plain_tree.py", "extract/document.py", "extract/page.py"},
    "selectolax": {"crawler/html/trees/browser_tree.py", "extract/document.py", "extract/page.py"},
    "charset_normalizer": {"crawler/html/decode.py"},
    "sqlite3": {
        f"store/{name}.py"
        for name in (
            "database",
            "upgrade",
            "reader",
            "read/tables",
            "select/expression",
            "write/tallies",
            "upkeep",
            "damaged_store",
        )
    }
    | {
        f"search/{name}.py"
        for name in (
            "index/index_file",
            "index/anchors",
            "index/short_barrel",
            "matching",
            "spelling",
            "stems",
            "topics",
        )
    },
    "click": {f"cli/{path.name}" for path in (ROOT / "cli").glob("*.py")},
    "ray": {"cluster/machines/ray.py"},
    "playwright": {"crawler/rendering/chromium.py"},
    "rich": {"cli/display.py"},
    "ada_url": {"crawler/urls/normalise.py"},
    "tldextract": {"crawler/urls/keys.py"},
    "filelock": {"store/database.py", "search/index/index_file.py"},
    "numba": {"lab/due_pages.py", "lab/heap.py", "lab/compiled.py"},
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
    if part in {"cli", "control"}:
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
def test_no_folder_has_more_than_sixteen_modules(folder: str) -> None:
    assert len(list((ROOT / folder).glob("*.py"))) <= 17 or folder in {"cli", "lab", "rank"}  # with its map


TESTS = Path(__file__).parent
WITHOUT_A_TEST = {
    **dict.fromkeys(("archive_record", "run_look"), "plain values"),
    **dict.fromkeys(("model", "events", "sizes", "timing", "store/rows", "crawler/known/known_web"), "plain values"),
    **dict.fromkeys(("crawler/sources/source", "crawler/html/trees/tree"), "protocols"),
    "crawler/admission/traps/page_content": "plain values",
    "crawler/sharing/share": "plain values",
    "cluster/running/kept": "a protocol",
    **dict.fromkeys(("analysis/rankings/options", "analysis/rankings/found"), "plain values"),
}
"""Modules with nothing that could break, and why."""


def test_every_module_has_the_test_of_its_name() -> None:
    modules = [Path(file).with_suffix("") for file in FILES if Path(file).stem not in {"__init__", "__main__"}]
    untested = {str(each) for each in modules if not (TESTS / each.parent / f"test_{each.name}.py").exists()}
    assert untested == WITHOUT_A_TEST.keys()


LONGEST_MODULE, LONGEST_CLASS, LONGEST_FUNCTION = 450, 320, 60
# What is longer, and why.
MAY_BE_LONGER = {
    "crawler/frontier/frontier.py:Frontier",
    "crawler/frontier/waiting_pages.py:WaitingPages",
    "lab/convergence.py:figure_2",
}


def tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text("utf-8"))


@each("file", FILES)
def test_modules_classes_and_functions_are_short(file: str) -> None:
    too_long = set()
    if len((ROOT / file).read_text("utf-8").splitlines()) > LONGEST_MODULE:
        too_long.add(file)
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            limit = LONGEST_CLASS if isinstance(node, ast.ClassDef) else LONGEST_FUNCTION
            if (node.end_lineno or 0) - node.lineno >= limit:
                too_long.add(f"{file}:{node.name}")
    assert too_long == {name for name in MAY_BE_LONGER if name.partition(":")[0] == file}


# Who may import Any, and for what.
MAY_HOLD_ANY = {
    # What JSON has.
    "analysis/explain.py",
    "analysis/planning/dry_run.py",
    "analysis/status.py",
    "cli/cluster.py",
    "cli/cluster_machines.py",
    "cli/control.py",
    "cli/demo.py",
    "control/assignments.py",
    "dashboard/commands.py",
    "dashboard/looks.py",
    "dashboard/picture.py",
    "dashboard/starting.py",
    "dashboard/statistics.py",
    "dashboard/metrics.py",
    "dashboard/readings.py",
    "dashboard/web/sharing.py",
    "control/commands.py",
    "control/messages.py",
    # What Ray hands on.
    "cluster/machines/ray.py",
    "cluster/machines/reading.py",
    "control/resting_crawl.py",
    "crawler/books/stored_forms.py",
    "report.py",
    "store/reader.py",
    # Settings as they are given or kept, and the caller's transport.
    "__init__.py",
    "api.py",
    "cli/config.py",
    "cli/configuration.py",
    "cli/crawl.py",
    "cli/rank.py",
    "cli/refresh.py",
    "cli/seed_check.py",
    "crawler/remembered_settings.py",
    "crawler/changes.py",
    "crawler/run.py",
    "crawler/running_crawl.py",
    "settings/crawl.py",
    "settings/logins.py",
    "settings/requests.py",
    "settings/setting.py",
    "settings/values.py",
    # Rows of SQLite and cells of a table.
    "store/read/ranks.py",
    "store/read/page_table.py",
    "store/read/tables.py",
    "store/rows.py",
    "store/damaged_store.py",
    # What a pipe between processes carries.
    "crawler/sources/hooked.py",
    "crawler/sources/page_reading.py",
    "crawler/sources/worker.py",
    "crawler/sources/workers.py",
    # Arrays of any number type, and what indexes them.
    "analysis/verify.py",
    "opic/arrays.py",
    "opic/expected.py",
    "rank/blocks.py",
    "rank/hits.py",
    "store/file_column.py",
    "store/spill.py",
    # A coroutine or function whatever its types.
    "extract/hooks.py",
    "crawler/loop/commands.py",
    "search/index/beside_crawl.py",
    "crawler/loop/in_flight.py",
    "sandbox/child.py",
    "sandbox/sandbox.py",
    "lab/heap.py",
}


def test_any_stands_at_the_border_only() -> None:
    assert {file for file in FILES if "typing.Any" in imports(ROOT / file)} == MAY_HOLD_ANY


def chain(node: ast.AST) -> list[str]:
    """The names of a chain like self.a.b, first to last; none of another expression."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


@each("file", FILES)
def test_nobody_reaches_through_parts_of_parts(file: str) -> None:
    """self.part.of.it is as far as one looks: more of it is the business of that part."""
    chains = {".".join(names) for node in ast.walk(tree(file)) if (names := chain(node)) and names[0] == "self"}
    assert {names for names in chains if names.count(".") > 3} == set()


def classes(node: ast.expr) -> Iterator[str]:
    """The classes that the second argument of isinstance names."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id


OURS = {node.name for file in FILES for node in ast.walk(tree(file)) if isinstance(node, ast.ClassDef)}
# Where a value is asked which of our classes it is of: no kind of request and no policy is.
MAY_ASK_FOR_CLASS = {
    "crawler/net/dns.py": {"NameServerError"},  # an error
    "crawler/sources/worker.py": {"StoreError"},  # the same
    "crawler/sources/workers.py": {"StoreError"},
    "crawler/requests/due.py": {"Request"},  # an assertion: what waits for a host's turn is a request of any kind
    "demo/changing/web.py": {"Page"},  # what is served is data
    "demo/weaving.py": {"Page"},  # an assertion
    "demo/web.py": {"Redirect", "File", "Page"},  # what is served is data
    "settings/requests.py": {"ConnectTo"},  # given as text, or read already
}


@each("file", FILES)
def test_no_kind_of_ours_is_told_by_its_class(file: str) -> None:
    asked = {
        name
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        for name in classes(node.args[1])
    }
    assert asked & OURS == MAY_ASK_FOR_CLASS.get(file, set())


# Words that say nothing of a thing as its name. Prose may have them.
NO_NAMES = {"told", "said", "heed", "knock", "knocks", "beyond", "whom", "care", "twice"}
NO_WHOLE_NAMES = {"take_in", "repeats"}


def names_given(file: str) -> Iterator[str]:
    """What a file names: classes, functions, arguments, attributes and variables."""
    for node in ast.walk(tree(file)):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr
            case ast.Name(ctx=ast.Store()):
                yield node.id


@each("file", FILES)
def test_names_say_what_they_name(file: str) -> None:
    names = {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_") for name in names_given(file)}
    assert {name for name in names if name in NO_WHOLE_NAMES or NO_NAMES & set(name.split("_"))} == set()
