"""Files that users write, with anything in them: read, or refused in a sentence, never a traceback."""

import os
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.command_line import HOME, run
from support.sites import crawl

from minicrawl.archive import cdxj
from minicrawl.archive.collection import Collection
from minicrawl.archive.export import export
from minicrawl.crawler.admission.seeds import gather_seeds, guesses
from minicrawl.errors import MinicrawlError, SeedError
from minicrawl.search.index_folder import replacing
from minicrawl.settings import SETTINGS, CrawlSettings
from minicrawl.store.upkeep import backup
from minicrawl.web.http.cookies import read_cookie_file, write_cookie_file

NUMBERS = ("0", "-1", "1e400", "nan", "9" * 5000, "0x" + "f" * 5000, "1.5", "65536")
PIECES = (
    *("http://", "https://", "//", "a.test", "[::1]", "[", "]", ":", "/", "@", "#", "?", "=", "*", "..", "\\"),
    *(".", "-", "_", "%", "%zz", "\0", "\x01", "\x1b[31m", "\x85", "\u2028", "\ufeff", "\uff0e", "\ufe13", "\u202e"),
    *(" ", "\t", "\n", "\r\n", '"', "'", "{", "}", ",", "a" * 300, "\u00e9", "\U0001f600"),
    *NUMBERS,
)
WORDS = {
    "seeds": ("#", ".txt"),
    "cookies": ("#HttpOnly_", ".a.test\tTRUE\t/\tFALSE\t", "\tname\tvalue\n", "\t"),
    "routes": ("::127.0.0.1:", "a.test:80:b.test:81 "),
    "toml": ("[crawl]\n", "delay = ", "pages = ", "header = ", "store = "),
}


def anything(kind: str) -> st.SearchStrategy[str]:
    """Text with much in it that means something in such a file."""
    pieces = st.sampled_from((*PIECES, *WORDS[kind], *WORDS[kind]))
    return st.lists(pieces, max_size=12).map("".join) | st.text(max_size=60)


def read(kind: str, file: Path) -> None:
    """Use a file as a crawl does. Raises MinicrawlError."""
    match kind:
        case "seeds":
            gather_seeds([str(file)])
        case "cookies":
            write_cookie_file(file, read_cookie_file(file))
        case "routes":
            CrawlSettings.of({"connect_to": f"@{file}"})
        case "toml":
            result = run("--config", file, "crawl", "--show-settings", "--store", file.with_name("none.db"))
            assert isinstance(result.exception, SystemExit | None), repr(result.exception)
            assert (result.exit_code, "\n" in result.stderr.strip()) in ((0, False), (2, False)), result.output


@pytest.mark.parametrize("kind", WORDS)
def test_what_a_file_says_is_taken_or_told(tmp_path_factory: pytest.TempPathFactory, kind: str) -> None:
    file = tmp_path_factory.mktemp(kind) / "file"

    @given(anything(kind))
    @example(".a.test\tTRUE\t/\tFALSE\t1e400\tname\tvalue")
    @example("a = " + "[" * 10_000 + "]" * 10_000)
    @example(f"[crawl]\npages = {'9' * 5000}")
    @example(f"[crawl]\npages = 0x{'f' * 5000}")
    @example('[crawl]\nstore = "a\\u0000b"')
    @example(f"a.test:{'9' * 5000}::")
    def is_told(text: str) -> None:
        file.write_text(text, "utf-8", newline="")
        with suppress(MinicrawlError):
            read(kind, file)

    is_told()


@given(anything("seeds") | st.text(st.characters(), max_size=30))
def test_what_is_typed_for_a_url_is_taken_or_told(text: str) -> None:
    guesses(text)
    with suppress(SeedError):
        gather_seeds([f"http://{text}"])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "crawl.db"
    site = {HOME: ["/a", "<p>some words"], f"{HOME}a": HOME}
    crawl(site, path, [HOME], search=True, archive=str(path.with_name("kept")))
    assert run("index", "--store", path).exit_code == 0
    return path


NO_TEXT = os.fsdecode(b"\xff")
WORDS_OF_COMMANDS = (
    ("search", NO_TEXT),
    ("why", f"http://{NO_TEXT}.test/"),
    ("top", "--where", NO_TEXT),
    ("links", "--broken", "--fail-on", "9" * 5000),
    ("control", "set", f"{NO_TEXT}=3"),
    ("crawl", f"http://{NO_TEXT}/"),
    ("backup", "b" * 5000),
)


@pytest.mark.parametrize("words", WORDS_OF_COMMANDS)
def test_words_that_are_no_text_or_no_name_are_told(store: Path, words: tuple[str, ...]) -> None:
    result = run(*words, "--store", store)
    assert isinstance(result.exception, SystemExit), (result.exception, result.output)
    assert result.exit_code == 2
    assert result.stderr.strip().isprintable(), result.stderr


def test_long_names_of_files_are_told(tmp_path: Path) -> None:
    """Of settings and of the store."""
    long = "x" * 5000
    names = [name for name, setting in SETTINGS.items() if setting.default is None or setting.default == ()]
    for words in [(f"--{name.replace('_', '-')}={long}",) for name in names] + [("--store", tmp_path / long)]:
        result = run("crawl", "--show-settings", "--store", tmp_path / "a.db", *words)
        assert isinstance(result.exception, SystemExit | None), repr(result.exception)
        assert result.exit_code in (0, 2)


def test_a_file_that_is_no_text_is_written_and_named(store: Path) -> None:
    """Names of files are bytes: what is printed of them is text all the same."""
    copy = store.with_name(f"copy{NO_TEXT}.db")
    result = run("backup", copy, "--store", store)
    assert (result.exit_code, copy.exists(), "\\udcff" in result.stdout) == (0, True, True), result.output


def make_index(place: Path) -> None:
    with replacing(place) as new:
        new.mkdir()


WRITERS: dict[str, Callable[[Path, Path], object]] = {
    "a store": lambda _, place: crawl({HOME: []}, place, [HOME]),
    "a copy of a store": lambda store, place: backup(store, place, force=True),
    "cookies": lambda _, place: write_cookie_file(place, read_cookie_file(place)),
    "the index of an archive": lambda _, place: cdxj.merge(place, ["test,a)/ 20260101000000 {}"]),
    "an archive": lambda store, place: export(Collection(store.with_name("kept")), place, {}, "x", 0.0),
    "an index": lambda _, place: make_index(place),
}


def kept_of(place: Path) -> list[float]:
    """What the system keeps of a file and of a link to it, but when they were read last."""
    return [value for of in (place.stat(), place.lstat()) for at, value in enumerate(of) if at != stat.ST_ATIME]


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", ["pipe", "socket", "link to a pipe"])
def test_no_file_takes_the_place_of_a_pipe_or_a_device(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    place = Path("place.cdxj")
    with socket.socket(socket.AF_UNIX) as end:
        if kind == "socket":
            end.bind(str(place))
        elif kind == "pipe":
            os.mkfifo(place)
        else:
            os.mkfifo("node")
            place.symlink_to("node")
        before = kept_of(place)
        with pytest.raises(MinicrawlError, match=r"place\.cdxj .*: it is a pipe, a device or a socket"):
            WRITERS[writer](store, place)
    assert kept_of(place) == before
    assert {file.name for file in tmp_path.iterdir()} <= {place.name, "node"}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("is_link", [False, True])
def test_a_file_takes_the_place_of_a_file_also_by_a_link(
    store: Path, tmp_path: Path, writer: str, *, is_link: bool
) -> None:
    place = tmp_path / "place.cdxj"
    if is_link:
        place.symlink_to("file")
    place.resolve().touch()
    before = place.stat()
    WRITERS[writer](store, place)
    assert place.stat() != before
