"""Who may import whom: the house, held by a test."""

import ast
import functools
import re
from collections.abc import Container, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from support.effort import loaded_by

ROOT = Path(__file__).parent.parent / "minicrawl"

# What each part may import of ours, beside itself, errors, model and settings.
MAY_IMPORT = {
    "opic": set(),
    "rank": {"opic"},
    "settings": {"web"},
    "sandbox": set(),
    "store": {"web"},
    "archive": set(),
    "web": set(),
    "crawler": {"web", "opic", "store", "rank", "extract", "archive"},
    "extract": {"store", "export", "web"},
    "export": {"store", "web"},
    "demo": {"rank"},
    "parts": {"audit", "crawler", "extract", "web", "store"},
    "graphs": {"rank", "store", "export"},
    "lab": {"opic", "rank", "store", "graphs"},
    "analysis": {"crawler", "web", "opic", "rank", "store", "graphs", "archive", "export"},
    "audit": {"analysis", "crawler", "web", "export", "extract", "graphs", "opic", "store"},
    "control": {"crawler", "web", "store"},
    "search": {"analysis", "crawler", "web", "store"},
    "cluster": {"analysis", "control", "crawler", "web", "export", "extract", "graphs", "opic", "search", "store"},
    "dashboard": {"analysis", "audit", "cluster", "control", "crawler", "web", "search", "store"},
    "report": {"audit", "dashboard", "export", "store"},
    "assistant": {"analysis", "crawler", "web", "dashboard", "export", "search", "store"},
    "cli": {"archive", "control", "search", "crawler", "store", "export", "demo", "graphs", "lab", "analysis", "opic"}
    | {"assistant", "audit", "dashboard", "extract", "rank", "report", "cluster", "web"},
}
PURE = {"opic", "rank"}
GROUND = {"errors", "log", "model", "reasons", "sizes", "system", "timing"}
FOR_EVERYONE = GROUND | {"events", "experiment", "installed", "parts", "sandbox", "setting", "settings"}
OF_ALL: dict[str, set[str]] = {"opic": set(), "rank": set(), "web": GROUND}
"""What may be imported beside MAY_IMPORT by those who may not import all that is FOR_EVERYONE."""

# The folders or modules that each library belongs to.
HOMES = {
    "httpx": ("web/http/",),
    "h2": ("web/http/",),
    "httpcore": ("web/http/",),
    "socksio": ("web/http/",),
    "aiohappyeyeballs": ("web/http/",),
    "zlib_ng": ("web/", "archive/", "search/"),
    "brotli": ("web/http/",),
    "cryptography": ("parts/signing/",),
    "backports": ("web/http/", "archive/"),
    "aiodns": ("web/net/",),
    "aiohttp": ("demo/",),
    "lxml": ("web/html/", "extract/"),
    "selectolax": ("web/html/", "extract/"),
    "chardetng_py": ("web/html/",),
    "py3langid": ("web/",),
    "sqlite3": ("store/",),
    "tantivy": ("search/",),
    "click": ("cli/",),
    "ray": ("cluster/",),
    "playwright": ("parts/render/", "parts/logins/"),
    "pypdf": ("parts/pdf/",),
    "apprise": ("parts/alerts/",),
    "rich": ("cli/",),
    "ada_url": ("web/urls/",),
    "tldextract": ("web/urls/",),
    "filelock": ("store/", "search/"),
    "http_sf": ("web/robots/",),
    "msgspec": (*("sandbox/", "web/", "crawler/", "control/", "store/", "setting", "events.py", "model.py", "parts/"),),
    # Only what a process of ours sends to one that it has started: never what that one answers.
    "pickle": ("sandbox/child.py", "crawler/sources/worker.py", "crawler/sources/workers.py"),
    "mcp": ("assistant/",),
    "uvicorn": ("assistant/",),
    "starlette": ("assistant/",),
    "numba": ("lab/",),
    "matplotlib": ("lab/", "graphs/"),
}
# The pure parts read no clock, own no randomness and touch no files.
IMPURE = {"time", "random", "os", "io", "pathlib", "socket", "asyncio", "datetime", "logging"}


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


@pytest.fixture(scope="module", autouse=True)
def _trees_are_let_go() -> Iterator[None]:
    """Those of the whole product take half a gigabyte."""
    yield
    nodes.cache_clear()


@functools.cache
def imports(path: Path) -> set[str]:
    """Modules a file imports, in full."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
    return found


FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


def test_file_imports_only_what_its_part_may() -> None:
    for file in FILES:
        part = file.split("/", maxsplit=1)[0].removesuffix(".py")
        if part not in MAY_IMPORT:
            continue
        ours = {name.split(".")[1] for name in imports(ROOT / file) if name.startswith("minicrawl.")}
        allowed = MAY_IMPORT[part] | {part} | OF_ALL.get(part, FOR_EVERYONE)
        if part in {"assistant", "cli", "control", "settings"}:
            allowed.add("__version__")
        assert ours <= allowed, file


ALONE = ("urls", "net", "http.fetch", "html", "robots", "sitemaps", "fingerprint")


@pytest.mark.parametrize("module", ALONE)
def test_the_web_stands_alone(module: str) -> None:
    """Whoever reads pages without a crawl loads none of it."""
    names = loaded_by(f"import minicrawl.web.{module}")
    loaded = {name.split(".")[1] for name in names if name.startswith("minicrawl.")}
    assert loaded <= GROUND | {"web"}


# The date of an exchange, for an archive, and that of a signature.
MAY_READ_THE_CLOCK = {"web/http/fetch.py", "web/http/signing.py"}


def test_the_web_reads_no_clock_of_the_wall() -> None:
    web = [file for file in FILES if file.startswith("web/")]
    found = {
        file for file in web for node in nodes(ROOT / file) if chain(node) in (["time", "time"], ["datetime", "now"])
    }
    assert found <= MAY_READ_THE_CLOCK


def test_nobody_names_a_part() -> None:
    ours = "Part|part|parts|Figures|figures_of|module|name_of|of_part|pages_left_out|wanted_fields"
    named = re.compile(rf"minicrawl\.parts\.(?!({ours})\b)")
    for file in [file for file in FILES if not file.startswith("parts/")]:
        assert {name for name in imports(ROOT / file) if named.match(name)} == set(), file


def test_library_is_imported_where_it_lives() -> None:
    for file in FILES:
        roots = {name.split(".")[0] for name in imports(ROOT / file)}
        assert {library for library in roots & HOMES.keys() if not file.startswith(HOMES[library])} == set(), file


def test_pure_part_does_no_io() -> None:
    for file in [file for file in FILES if file.split("/")[0] in PURE]:
        assert {name.split(".")[0] for name in imports(ROOT / file)} & IMPURE == set(), file


def patched(path: Path) -> Iterator[str]:
    """What a file of tests sets by monkeypatch.setattr(target, name, ...) or ("target.name", ...)."""
    for node in nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setattr":
            words = (word.value for word in node.args[:2] if isinstance(word, ast.Constant))
            yield from (word for word in words if isinstance(word, str))


# How a page's turn ends is counted as it happens: that has no public name.
MAY_BE_PATCHED = {"_visit"}


def test_sizes_and_times_are_passed_in_not_patched() -> None:
    """No test patches a private name: what is private may change, and the test would go on."""
    for file in sorted(Path(__file__).parent.rglob("test_*.py")):
        names = {name.rpartition(".")[2] for name in patched(file)}
        assert {name for name in names if name.startswith("_") and not name.startswith("__")} <= MAY_BE_PATCHED, file


def test_what_tests_share_stands_in_a_module_of_its_own() -> None:
    """No test is imported by another: whoever changes one sees all that it is good for."""
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        names = {part for name in imports(file) for part in name.split(".")}
        assert {name for name in names if name.startswith("test_")} == set(), file


FIRST = """
import importlib, pkgutil, sys, minicrawl
names = [each.name for each in pkgutil.walk_packages(minicrawl.__path__, "minicrawl.")]
for name in (name for name in names if not name.endswith("__main__")):
    for loaded in [each for each in sys.modules if each.partition(".")[0] == "minicrawl"]:
        del sys.modules[loaded]
    importlib.import_module(name)
names.clear()"""


@pytest.mark.slow
def test_each_module_may_be_imported_first() -> None:
    assert "minicrawl.web" in loaded_by(FIRST)


def test_no_modules_import_one_another() -> None:
    names = {
        f"minicrawl/{file}".removesuffix(".py").removesuffix("/__init__").replace("/", "."): file for file in FILES
    }
    TopologicalSorter({name: at_run_time(ROOT / file, names) for name, file in names.items()}).prepare()


def at_run_time(path: Path, names: Container[str]) -> Iterator[str]:
    """Those of our modules that a file imports while it is itself imported."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and (folder := node.module or "") in names:
            inner = {f"{folder}.{alias.name}" for alias in node.names}
            yield from (name if name in names else folder for name in inner)


def test_every_part_is_in_the_table() -> None:
    assert {file.split("/")[0] for file in FILES if "/" in file} | {"report"} == MAY_IMPORT.keys()


FOLDERS = sorted({path.parent.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py")})


def rooms(house: str) -> list[str]:
    """The folders and modules of the web or of the live crawl, in the order of their map."""
    text = ast.get_docstring(ast.parse((ROOT / house / "__init__.py").read_text("utf-8"))) or ""
    return [line.split()[0] for line in text.split("\n\n")[1].splitlines()]


@pytest.mark.parametrize("house", ["web", "crawler"])
def test_stage_imports_only_from_those_before_it(house: str) -> None:
    order = rooms(house)
    for file in [file for file in FILES if file.startswith(f"{house}/")]:
        room = file.split("/")[1].removesuffix(".py")
        if file.count("/") == 1 and room not in order:
            continue
        named = [name.split(".") for name in imports(ROOT / file) if name.startswith(f"minicrawl.{house}.")]
        above = {".".join(name) for name in named if name[2] not in order[: order.index(room) + 1]}
        assert above == set(), file


def test_map_of_a_folder_names_all_that_is_in_it() -> None:
    for folder in [folder for folder in FOLDERS if folder not in {"cli", "parts"}]:  # each module there is one
        text = ast.get_docstring(ast.parse((ROOT / folder / "__init__.py").read_text("utf-8"))) or ""
        words = set(re.findall(r"[\w.]+", text))
        modules = {path.stem for path in (ROOT / folder).glob("*.py")} - {"__init__", "__main__"}
        folders = {path.parent.name for path in (ROOT / folder).glob("*/__init__.py")}
        assert (modules | folders) - words == set(), folder


LONGEST_MODULE, LONGEST_CLASS, LONGEST_FUNCTION = 800, 450, 100


def test_modules_classes_and_functions_are_short() -> None:
    for file in FILES:
        too_long = set()
        if len((ROOT / file).read_text("utf-8").splitlines()) > LONGEST_MODULE:
            too_long.add(file)
        for node in nodes(ROOT / file):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                limit = LONGEST_CLASS if isinstance(node, ast.ClassDef) else LONGEST_FUNCTION
                if (node.end_lineno or 0) - node.lineno >= limit:
                    too_long.add(f"{file}:{node.name}")
        assert too_long == set(), file


# For what a module may import Any; the line that does says which: `from typing import Any  # Any: JSON`.
MAY_BE_ANY = {"JSON", "settings as given", "rows", "messages", "arrays", "callables"}


def test_any_stands_at_the_border_only() -> None:
    unexplained = set()
    for file in FILES:
        if "typing.Any" in imports(ROOT / file):
            told = re.search(r"^from typing import .*\bAny\b.*  # Any: (.+)$", (ROOT / file).read_text("utf-8"), re.M)
            if told is None or told[1] not in MAY_BE_ANY:
                unexplained.add(file)
    assert unexplained == set()


def chain(node: ast.AST) -> list[str]:
    """The names of a chain like self.a.b, first to last; none of another expression."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def test_nobody_reaches_through_parts_of_parts() -> None:
    """self.part.of.it is as far as one looks: more of it is the business of that part."""
    for file in FILES:
        chains = {".".join(names) for node in nodes(ROOT / file) if (names := chain(node)) and names[0] == "self"}
        assert {names for names in chains if names.count(".") > 3} == set(), file


def classes(node: ast.expr) -> Iterator[str]:
    """The classes that the second argument of isinstance names."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id


@functools.cache
def ours() -> set[str]:
    """Names of all classes."""
    return {node.name for file in FILES for node in nodes(ROOT / file) if isinstance(node, ast.ClassDef)}


# Where a value is asked which of our classes it is of: no kind of request and no policy is.
MAY_ASK_FOR_CLASS = {
    "web/http/connection_pool.py": {"BrokenOffError", "NoHttp1Error"},  # errors
    "web/net/addresses.py": {"NameServerError"},  # the same
    "crawler/due_requests.py": {"Request"},  # an assertion: what waits for a host's turn is a request of any kind
    "demo/weaving.py": {"Page"},  # an assertion
    "demo/web.py": {"Reply", "Page"},  # what is served is data
}


def test_no_kind_of_ours_is_told_by_its_class() -> None:
    for file in FILES:
        asked = {
            name
            for node in nodes(ROOT / file)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"
            for name in classes(node.args[1])
        }
        assert asked & ours() == MAY_ASK_FOR_CLASS.get(file, set()), file
