"""Options from flags, the environment and files: which of them counts."""

import json
from pathlib import Path

import pytest
from support.command_line import answer, run
from support.sites import HOME, Server, crawl


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one, to be in."""
    monkeypatch.delenv("MINICRAWL_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings_now(*words: str) -> dict[str, list[str]]:
    result = run(*words, "crawl", "--show-settings")
    assert result.exit_code == 0, result.output
    return {line.split()[0]: line.split()[1:] for line in result.output.splitlines()}


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        ("delay", ["1.0", "2.0", "3.0"]),
        ("deny", ["b", "c", "d"]),
        ("scope", ["site", "host", "prefix"]),
        ("traps", ["no", "yes", "no"]),
    ],
)
def test_flag_before_environment_before_file_before_default(
    key: str, texts: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def now(*words: str) -> tuple[str, str]:
        found = answer("crawl", "--show-settings", *words)[key]
        value = found["value"][0] if isinstance(found["value"], list) else found["value"]
        return found["from"], {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

    written = "false" if key == "traps" else json.dumps(texts[0])
    (folder / "minicrawl.toml").write_text(f"[crawl]\n{key} = {written}\n")
    assert now() == ("file", texts[0])
    monkeypatch.setenv(f"MINICRAWL_CRAWL_{key.upper()}", texts[1])
    assert now() == ("environment", texts[1])
    assert now(*(["--no-traps"] if key == "traps" else [f"--{key}", texts[2]])) == ("given", texts[2])


def test_a_crawl_does_what_files_and_the_environment_say(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "minicrawl.toml").write_text(
        'store = "mine.db"\n[crawl]\ndelay = 3\nmax_depth = 2\ntraps = false\ndeny = ["/x", "/y z"]\n'
        'header = "Authorization: hush"\n'
    )
    crawl({HOME: []}, folder / "mine.db", [HOME], max_depth=5, scope="host")
    monkeypatch.setenv("MINICRAWL_CRAWL_ALLOW", "one a\nline")
    monkeypatch.setenv("MINICRAWL_CRAWL_PER_HOST", "")
    now = settings_now()
    assert now["max-depth"] == ["file", "2"]  # before what the store remembers
    assert now["scope"] == ["store", "host"]
    assert now["deny"] == ["file", "/x,", "/y", "z"]
    assert now["allow"] == ["environment", "one", "a,", "line"]
    assert now["per-host"] == ["default", "1"]
    assert now["header"] == ["file", "Authorization"]
    for words in (("--config", "none", "crawl"), ("crawl", "--config", "none"), ("crawl", "--config=none")):
        assert run(*words, "--show-settings").stdout.split()[:3] == ["pages", "default", "none"]


def test_no_file_is_read_for_help_nor_when_none_is_asked_for(folder: Path) -> None:
    (folder / "minicrawl.toml").write_text("[crawl\n")
    for words in (("crawl", "--help"), ("top", "-h"), ("--config", "none", "crawl", "--show-settings")):
        assert run(*words).exit_code == 0
    assert run("crawl", "--show-settings").exit_code == 2


MISTAKES = {
    "table like none": ("zzz = 1\n", "there is no 'zzz'; it has store, a table [crawl], and rules [audit.NAME]"),
    "store": ("store = 3.5\n", "store must be the path of a file"),
    "option for a table": ("crawl = 1\n", "crawl must be a table of options"),
    "key like none": ("[crawl]\nzzz = 1\n", "[crawl] has no option 'zzz'; 'minicrawl crawl --help all' has all"),
    "near key": ("[crawl]\ndealy = 1\n", "[crawl] has no option 'dealy'; did you mean 'delay'?"),
    "no flag": ("[crawl]\ntraps = 'off'\n", "crawl.traps: --traps must be True or False, not 'off'"),
    "no flag of a run": ("[crawl]\nno-progress = 'x'\n", "crawl.no-progress: 'x' is not a valid boolean"),
    "no number": ("[crawl]\npartitions = 'x'\n", "crawl.partitions: 'x' is not a valid integer range"),
    "date": ("[crawl]\ndelay = 2026-01-01\n", "crawl.delay: --delay must be a number, not datetime.date"),
    "list of lists": ("[crawl]\ndeny = [['a']]\n", "crawl.deny: --deny must be text, not a list"),
    "bad regex": ("[crawl]\ndeny = '('\n", "crawl.deny: --deny '(' is not a regular expression"),
    "no TOML": ("[crawl\n", ""),
}


@pytest.mark.parametrize(("content", "sentence"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake_in_a_file_is_one_sentence_and_exit_2(folder: Path, content: str, sentence: str) -> None:
    (folder / "minicrawl.toml").write_text(content)
    for words in (("crawl", "--show-settings"), ("config", "check")):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"Error: minicrawl.toml{sentence and ': '}{sentence}")
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[crawl]\ntopic = 'é'\n".encode("latin-1"), "is not TOML in UTF-8: 'utf-8' codec"),
        (b"[crawl]\na = 1\na = 2\n", "is not TOML in UTF-8: Cannot overwrite a value (at line 3"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(folder: Path, content: bytes, sentence: str) -> None:
    (folder / "minicrawl.toml").write_bytes(content)
    assert sentence in run("config", "check").stderr
    assert "nowhere.toml cannot be read: No such file" in run("--config", "nowhere.toml", "config", "check").stderr


def test_the_mark_that_windows_editors_begin_files_with_is_no_part_of_them(folder: Path) -> None:
    (folder / "minicrawl.toml").write_bytes(b"\xef\xbb\xbf[crawl]\r\ndelay = 2\r\n")
    assert settings_now()["delay"] == ["file", "2.0"]


def test_mistake_in_the_environment_is_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINICRAWL_TOP_N", "abc")
    assert "MINICRAWL_TOP_N: 'abc' is not a valid integer range" in run("top").stderr
    monkeypatch.setenv("MINICRAWL_CRAWL_DELAY", "abc")
    assert "--delay: write a time as a number followed by s, m, h or d" in run("crawl", "--show-settings").stderr
    assert run("crawl", "--show-settings", "--delay", "3").exit_code == 0


def test_the_store_of_the_file_is_that_of_every_command(folder: Path) -> None:
    crawl(Server({HOME: []}), folder / "mine.db", [HOME])
    assert run("top").exit_code == 3
    (folder / "minicrawl.toml").write_text('store = "mine.db"\n')
    assert run("top").exit_code == 0
    assert run("graph", "stats").exit_code == 0
