"""minicrawl config"""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.command_line import answer, run

from minicrawl.settings import PROFILES, SETTINGS, CrawlSettings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one."""
    monkeypatch.delenv("MINICRAWL_CONFIG", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def test_show_says_of_each_setting_what_it_is_and_where_from(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "minicrawl.toml").write_text('[crawl]\ndelay = "3s"\nproxy = "http://me:hush@p.test:1"\n')
    monkeypatch.setenv("MINICRAWL_CRAWL_DENY", "/a\n/b")
    monkeypatch.setenv("MINICRAWL_CRAWL_TRAPS", "no")
    result = run("config", "show")
    assert result.exit_code == 0
    lines = {line.split()[0]: line.split()[1:] for line in result.output.splitlines()}
    assert lines["delay"] == ["file", "3.0"]
    assert lines["deny"] == ["environment", "/a,", "/b"]
    assert lines["traps"] == ["environment", "no"]
    assert lines["pages"] == ["default", "none"]
    told = answer("config", "show")
    assert told["delay"] == {"value": 3.0, "from": "file"}
    assert "hush" not in result.output + json.dumps(told)


def test_what_is_shown_and_given_again_is_the_same_crawl(folder: Path) -> None:
    (folder / "minicrawl.toml").write_text('[crawl]\ndelay = 3\ndeny = ["/a", "/b"]\nmax-size = "2MB"\ntraps = false\n')
    settings = CrawlSettings.of({name: one["value"] for name, one in answer("config", "show").items()})
    assert settings == CrawlSettings(delay=3, deny=("/a", "/b"), max_size=2_000_000, traps=False)


def test_profile_is_spelled_out_and_gives_way_to_what_is_explicit(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_profile(*words: str) -> set[str]:
        told = answer("crawl", "--show-settings", *words)
        return {name for name, one in told.items() if one["from"] == "profile"}

    assert by_profile() == set()
    for name, settings in PROFILES.items():
        assert by_profile("--profile", name) == set(settings)
    told = answer("crawl", "--show-settings", "--profile", "rank", "--sitemaps")
    assert told["sitemaps"] == {"value": True, "from": "given"}
    assert told["until_coverage"] == {"value": 0.9, "from": "profile"}
    monkeypatch.setenv("MINICRAWL_CRAWL_SCOPE", "host")
    (folder / "minicrawl.toml").write_text('[crawl]\nprofile = "audit"\ntext = false\n')
    assert by_profile() == set(PROFILES["audit"]) - {"scope", "text"}


def test_profile_is_remembered_as_its_options(folder: Path, store: Path) -> None:
    assert run("crawl", "--profile", "search", "--no-progress", "--store", store).exit_code == 0
    told = answer("crawl", "--show-settings", "--store", store)
    assert told["search"] == {"value": True, "from": "store"}


def test_check_says_what_there_is(folder: Path) -> None:
    assert "There is no file of options" in run("config", "check").output
    (folder / "minicrawl.toml").write_text('store = "x"\n[crawl]\ndelay = 1\npartitions = 2\n')
    assert run("config", "check").output == "minicrawl.toml: 3 options\n"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("extract = 'name=>>'", "minicrawl.toml: --extract 'name=>>': '>>' is not a CSS selector"),
        ('refresh-min = "2d"\nrecrawl-after = "1d"', "--refresh-min must be at most --recrawl-after"),
    ],
)
def test_check_finds_what_no_single_option_is_wrong_in(options: str, why: str, folder: Path) -> None:
    (folder / "minicrawl.toml").write_text(f"[crawl]\n{options}\n")
    wrong = run("config", "check")
    assert (wrong.exit_code, wrong.stderr.count("\n"), why in wrong.stderr) == (2, 1, True)


def test_init_writes_every_option_as_a_comment(folder: Path) -> None:
    assert run("config", "init").exit_code == 0
    written = (folder / "minicrawl.toml").read_text()
    assert tomllib.loads(written) == {"crawl": {}}
    assert run("config", "check").exit_code == 0
    keys = {line[2:].split(" = ")[0] for line in written.splitlines() if line.startswith("# ") and " = " in line}
    assert {name.replace("_", "-") for name in SETTINGS} <= keys
    again = run("config", "init")
    assert (again.exit_code, (folder / "minicrawl.toml").read_text()) == (2, written)
    assert "minicrawl.toml already exists" in again.stderr


def test_what_init_writes_are_the_defaults(folder: Path) -> None:
    """All comments but those of options without a default, taken as what they say."""
    run("config", "init")
    lines = (folder / "minicrawl.toml").read_text().splitlines()
    keys = {name.replace("_", "-"): name for name, one in SETTINGS.items() if one.default not in (None, (), "")}
    shown = [line[2:] for line in lines if line.startswith("# ") and line[2:].split(" = ")[0] in keys]
    said = tomllib.loads("\n".join(dict.fromkeys(shown[: len(keys)])))
    assert set(said) == set(keys)
    assert CrawlSettings.of({keys[key]: value for key, value in said.items()}) == CrawlSettings()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_can_read_its_script(shell: str, tmp_path: Path) -> None:
    result = run("completion", shell)
    assert result.exit_code == 0
    assert f"{shell}_complete" in result.output
    assert "minicrawl" in result.output
    program = shutil.which(shell)
    if program is not None:
        (tmp_path / "script").write_text(result.output)
        subprocess.run([program, "-n", str(tmp_path / "script")], check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_as_the_script_says(tmp_path: Path) -> None:
    """What bash calls when Tab is pressed behind 'minicrawl crawl --strat'."""
    (tmp_path / "minicrawl").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m minicrawl "$@"\n')
    (tmp_path / "minicrawl").chmod(0o755)
    script = run("completion", "bash").output + (
        f'\nPATH="{tmp_path}:$PATH"\nCOMP_WORDS=(minicrawl crawl --strat)\nCOMP_CWORD=2\n'
        "_minicrawl_completion minicrawl\n"
        'echo "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["--strategy"]
