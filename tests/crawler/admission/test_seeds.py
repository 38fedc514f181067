"""Seed files, URLs and standard input."""

import io
import sys
from pathlib import Path

import pytest
from support.sites import crawl, faults_in, rows

from minicrawl.crawler.admission.seeds import files_named_as_hosts, gather_seeds, guesses, in_plain_http, read_seeds
from minicrawl.errors import SeedError
from minicrawl.model import Progress
from minicrawl.sizes import Sizes
from minicrawl.timing import Timing


def seed_file(folder: Path, content: str | bytes) -> str:
    path = folder / "seeds.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def test_urls_come_back_normalised_in_the_order_given() -> None:
    assert read_seeds(["HTTP://B.test", "https://a.test:443/x#y"]) == ["http://b.test/", "https://a.test/x"]


def test_each_seed_is_read_once(tmp_path: Path) -> None:
    path = seed_file(tmp_path, "http://a.test/\nhttp://b.test\nHTTP://A.test:80\n")
    assert read_seeds(["http://b.test/", path, path]) == ["http://b.test/", "http://a.test/"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("http://a.test/\nhttp://b.test/\n", id="LF"),
        pytest.param("http://a.test/\r\nhttp://b.test/", id="CRLF-without-end"),
        pytest.param("\n\n  http://a.test/  \n\t\nhttp://b.test/\n\n", id="blank-lines-and-white-space"),
        pytest.param("# first\nhttp://a.test/ # the a\n   # third\nhttp://b.test/\t#b\n", id="comments"),
        pytest.param("\ufeffhttp://a.test/\nhttp://b.test/\n", id="byte-order-mark"),
        pytest.param("http://a.test/#part\nhttp://b.test/#", id="fragments-are-no-comments"),
    ],
)
def test_a_seed_file_has_one_url_a_line(tmp_path: Path, content: str) -> None:
    assert read_seeds([seed_file(tmp_path, content)]) == ["http://a.test/", "http://b.test/"]


@pytest.mark.parametrize("content", ["", "\n", "# nothing\n"])
def test_a_file_without_urls_has_no_seeds(tmp_path: Path, content: str) -> None:
    assert read_seeds([seed_file(tmp_path, content)]) == read_seeds([]) == []


def test_non_ascii_urls_in_a_file_are_utf_8(tmp_path: Path) -> None:
    assert read_seeds([seed_file(tmp_path, "http://bücher.example/ü\n")]) == ["http://xn--bcher-kva.example/%C3%BC"]


@pytest.mark.parametrize("line", ["example", "ftp://h.test/", "mailto:a@h.test", "http://", "/a", "http://a b/"])
def test_a_bad_line_is_named_with_where_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    path = seed_file(tmp_path, f"# seeds\n\nhttp://a.test/\n  {line}\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO(Path(path).read_text("utf-8")))
    for given, name in ((path, path), ("-", "standard input")):
        with pytest.raises(SeedError) as caught:
            read_seeds([given])
        assert str(caught.value) == f"{name}:4: {line!r} is not an http or https URL; write it as https://host/path"


NO_URL = "seed: {!r} is not an http or https URL; write it as https://host/path"


@pytest.mark.parametrize(
    ("seed", "sentence"),
    [
        *((url, NO_URL.format(url)) for url in ("ftp://h.test/", "http://", "http://h.test:99999/")),
        ("none.txt", "seed file none.txt cannot be read: No such file or directory"),
        ("./", "seed file ./ cannot be read: Is a directory"),
    ],
)
def test_what_is_no_seed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: str, sentence: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SeedError) as caught:
        read_seeds(["http://a.test/", seed])
    assert str(caught.value) == sentence


@pytest.mark.parametrize("name", ["example", "intranet:8080", "bücher"])
def test_a_name_without_a_dot_is_taken_for_a_file_unless_it_has_a_scheme(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SeedError) as caught:
        read_seeds([name])
    assert str(caught.value) == (
        f"{name!r} is not a seed file that exists; if it is a host, write it as https://{name}"
    )
    (way_out,) = read_seeds([f"https://{name}"])
    assert way_out == guesses(f"https://{name}")[0]


def test_a_file_that_is_not_utf_8_is_named_with_the_byte(tmp_path: Path) -> None:
    path = seed_file(tmp_path, b"http://a.test/\n\xff")
    with pytest.raises(SeedError) as caught:
        read_seeds([path])
    assert str(caught.value) == f"seed file {path} is not UTF-8 text: byte 15"


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("http://a.test/ # a\n\nhttp://b.test/\n"))
    assert read_seeds(["-"]) == ["http://a.test/", "http://b.test/"]


def test_standard_input_that_is_not_utf_8_is_a_seed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a file, see above."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"http://a.test/\n\xff\n"), encoding="utf-8"))
    with pytest.raises(SeedError):
        read_seeds(["-"])


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("a.test", ["https://a.test/", "http://a.test/"]),
        ("A.test:81/x?y", ["https://a.test:81/x?y", "http://a.test:81/x?y"]),
        ("bücher.test/ü", ["https://xn--bcher-kva.test/%C3%BC", "http://xn--bcher-kva.test/%C3%BC"]),
        ("127.0.0.1", ["https://127.0.0.1/", "http://127.0.0.1/"]),
        ("[::1]:81", ["https://[::1]:81/", "http://[::1]:81/"]),
        ("localhost", ["https://localhost/", "http://localhost/"]),
        ("http://a.test", ["http://a.test/"]),
        ("mailto:x@a.test", []),
        ("a b.test", []),
        ("nonsense", []),
    ],
)
def test_a_scheme_that_is_missing_is_guessed(text: str, urls: list[str]) -> None:
    assert guesses(text) == urls
    if urls and not text.startswith("http"):
        assert read_seeds([text]) == urls[:1]
        assert in_plain_http(urls[0]) == urls[1]


def test_hosts_in_a_file_are_guesses_unless_a_scheme_is_given_too(tmp_path: Path) -> None:
    seeds = gather_seeds([seed_file(tmp_path, "a.test\nhttps://a.test/\nb.test\n")])
    assert tuple(seeds) == (["https://a.test/", "https://b.test/"], {"https://b.test/"})


def test_a_file_is_a_file_though_it_is_called_like_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("a.test", "seeds.txt"):
        (tmp_path / file).write_text("http://b.test/")
    assert read_seeds(["a.test"]) == ["http://b.test/"]
    assert files_named_as_hosts(["a.test", "c.test", "seeds.txt", "https://a.test/"]) == ["a.test"]


def test_a_folder_that_is_called_like_a_host_leaves_it_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a copy of the site, where wget puts it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.test").mkdir()
    assert read_seeds(["a.test"]) == ["https://a.test/"]
    assert files_named_as_hosts(["a.test"]) == []


def test_all_bad_lines_are_told_with_their_numbers(tmp_path: Path) -> None:
    path = seed_file(tmp_path, "x y\nhttp://a.test/\n" + "nonsense\n" * 30)
    with pytest.raises(SeedError) as caught:
        read_seeds([path])
    lines = str(caught.value).split("\n")
    assert lines[0].startswith("31 seeds are not http or https URLs")
    assert lines[1:3] == [f"  {path}:1: 'x y'", f"  {path}:3: 'nonsense'"]
    assert lines[-1] == "  and 21 more"


def test_crawl_can_be_stopped_between_seeds_and_goes_on_with_the_rest(tmp_path: Path) -> None:
    """Millions take minutes. What was taken in is kept, and what comes of it all is as if they had come at once."""
    seeds = [f"http://{name}.test/" for name in "abcdefghij"]
    known: list[int] = []
    timing = Timing(progress=0.0, looks_apart=0.0)

    def shown(progress: Progress) -> None:
        known.append(progress.known)

    report, server = crawl(
        {seed: [] for seed in seeds}, tmp_path / "a.db", seeds, time=1e-9, timing=timing, sizes=Sizes(seeds=4)
    )
    assert (report.reason, report.known, server.asked) == ("time", 4, [])
    assert rows(tmp_path / "a.db", "SELECT url FROM pages ORDER BY id") == [(seed,) for seed in seeds[:4]]
    report, server = crawl(
        {seed: [] for seed in seeds},
        tmp_path / "a.db",
        seeds,
        timing=timing,
        sizes=Sizes(seeds=4),
        on_progress=shown,
        traps=False,
    )
    assert (report.reason, sorted(server.asked)) == ("nothing-left", seeds)
    assert known[:3] == [4, 8, 10]
    assert faults_in(tmp_path / "a.db") == []


def test_seeds_in_steps_have_the_cash_of_seeds_at_once(tmp_path: Path) -> None:
    seeds = [f"http://{name}.test/" for name in "abcdefgh"]
    found = []
    for at_once in (100, 3):
        store = tmp_path / f"{at_once}.db"
        crawl({seed: [] for seed in seeds}, store, seeds, sizes=Sizes(seeds=at_once), ignore_robots=True, pages=1)
        found.append(rows(store, "SELECT id, url, cash, depth, forwarded FROM pages ORDER BY id"))
    assert found[0] == found[1]
