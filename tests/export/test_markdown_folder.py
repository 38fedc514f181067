"""Pages as a folder of Markdown files: where each is, and that nothing is lost or written elsewhere."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.command_line import run
from support.sites import Site, crawl

from minicrawl.export.markdown_folder import path_of, write_folder
from minicrawl.web.kept_text import KeptText

A = "http://a.test/"


def page(url: str) -> KeptText:
    return KeptText(url=url, content=f"words of {url}", rest="")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        (A, "a.test/index"),
        (f"{A}docs/", "a.test/docs/index"),
        (f"{A}docs/index.html", "a.test/docs/index.html"),
        (f"{A}docs/caf%C3%A9", "a.test/docs/café"),
        ("http://a.test:8080/x", "a.test_8080/x"),
        ("http://[::1]/x", "[__1]/x"),
        (f"{A}x?a=1&b=%2F..%2F", "a.test/x_a=1&b=_.._"),
        (f"{A}?", "a.test/index_"),
        (f"{A}%2e%2e/%2E%2E%2Fetc%2Fpasswd", "a.test/_/__etc_passwd"),
        (f"{A}.git/.hidden", "a.test/_git/_hidden"),
        (f"{A}con/NUL.txt/lpt1", "a.test/_con/_NUL.txt/_lpt1"),
        (f"{A}consul/x.%20/y", "a.test/consul/x_/y"),
        (f"{A}a%00b%0A%5Cc%3A%E2%80%AE", "a.test/a_b__c__"),
        (f"{A}a//b", "a.test/a/_/b"),
        (f"{A}x.md/y", "a.test/x.md_/y"),
        (f"{A}%ff", "a.test/\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_a_file_is_where_its_url_says(url: str, path: str) -> None:
    assert path_of(url) == f"{path}.md"


def test_names_that_are_too_long_are_cut(tmp_path: Path) -> None:
    deep, thai = "/".join(["folder"] * 200), "%E0%B8%81" * 200
    urls = [f"{A}{'x' * 300}", f"{A}{'x' * 300}y", f"{A}{deep}", f"{A}{deep}/y", f"{A}{thai}", f"{A}?{'q' * 1900}"]
    assert write_folder(map(page, urls), tmp_path / "out") == len(urls)
    assert len(list((tmp_path / "out").rglob("*.md"))) == len(urls)


PATHS = st.lists(
    st.sampled_from(["a", "A", "a.md", "..", "%2e%2e", "", "con", "index", "%2F", "é", "e%CC%81"]), max_size=4
)


@given(st.lists(st.tuples(PATHS, st.sampled_from(["", "?", "?a", "?A"])), max_size=12))
def test_every_page_has_a_file_of_its_own_also_where_case_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, paths: list[tuple[list[str], str]]
) -> None:
    urls = list(dict.fromkeys(f"{A}{'/'.join(parts)}{query}" for parts, query in paths))
    place = tmp_path_factory.mktemp("export")
    write_folder(map(page, urls), place / "out")
    files = [path for path in place.rglob("*") if path.is_file()]
    found = {json.loads(path.read_text().split("\n")[1].removeprefix("url: ")) for path in files}
    assert found == set(urls)
    assert len({str(path).casefold() for path in files}) == len(urls)
    assert all(path.is_relative_to(place / "out" / "a.test") for path in files)


SITE: Site = {
    A: ["<title>Home</title><h1>Home</h1><p>words of the home page</p>", f"{A}x", f"{A}noindex", f"{A}gone"],
    f"{A}x": ["<h1>X</h1><p>words of another page</p>"],
    f"{A}noindex": ["<meta name=robots content=noindex><p>words of a third page</p>"],
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    crawl(SITE, tmp_path / "crawl.db", [A], text=True)
    return tmp_path / "crawl.db"


def said(*words: str | Path) -> str:
    """What a command says that fails."""
    result = run(*words)
    assert result.exit_code == 2, result.output
    return result.stderr


def test_a_crawl_is_a_folder_whole_or_not_at_all(store: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("export", out, "--markdown", "--store", store).stdout == f"2 pages written to {out}\n"
    files = {str(path.relative_to(out)): path.read_text() for path in out.rglob("*.md")}
    assert files.keys() == {"a.test/index.md", "a.test/x.md"}
    assert files["a.test/index.md"].startswith(
        f'---\nurl: "{A}"\ntitle: "Home"\nlanguage: "en"\n---\n\n# Home\n\nwords of the home'
    )
    assert said("export", out, "--markdown", "--store", store).endswith(
        f"{out} exists; name a folder that does not, or an empty one\n"
    )
    assert "No such file or directory" in said("export", tmp_path / "no" / "out", "--markdown", "--store", store)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl.db", "crawl.db.lock", "out"]
    told = run("export", tmp_path / "some", "--markdown", "--where", "url LIKE '%x'", "--store", store).stdout
    assert told.startswith("1 page written")


def test_a_corpus_without_texts_is_no_corpus(store: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl.gz"
    told = said("export", corpus, "--store", store)
    assert told.endswith(f"{corpus} would have ranks and no texts; add --text for a corpus, or choose another name\n")
    assert run("export", corpus, "--text", "--store", store).exit_code == 0
    assert run("export", tmp_path / "my-corpus.jsonl.gz", "--store", store).exit_code == 0
