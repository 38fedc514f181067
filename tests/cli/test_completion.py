"""minicrawl completion"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from support.command_line import run

from minicrawl.cli import main


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


VARIABLE = "_MINICRAWL_COMPLETE"


def offered(*words: str) -> list[str]:
    """What comes in place of the last word."""
    found = ShellComplete(main, {}, "minicrawl", VARIABLE).get_completions(list(words[:-1]), words[-1])
    return [one.value for one in found]


def test_rankings_are_those_of_every_store_and_those_it_has_kept(store: Path) -> None:
    assert offered("top", "--by", "") == ["importance", "history", "cash", "inlinks"]
    assert run("rank", "--by", "pagerank", "--save", "mine", "--store", store).exit_code == 0
    assert offered("top", "--store", str(store), "--by", "m") == ["mine"]
    assert offered("export", "--store", str(store), "--by", "h") == ["history"]


def test_hosts_are_those_of_the_store_that_the_line_names(store: Path) -> None:
    assert offered("control", "ban", "--store", str(store), "") == ["a.test", "b.test"]
    assert offered("control", "ban", "--store", str(store), "b") == ["b.test"]
    assert offered("control", "unban", "--store", str(store.with_name("nowhere.db")), "") == []


def test_hosts_are_those_of_the_store_that_a_file_of_options_names(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MINICRAWL_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "minicrawl.toml").write_text('store = "crawl.db"\n')
    assert offered("control", "ban", "a") == ["a.test"]
    (tmp_path / "minicrawl.toml").write_text("[control.ban]\nstroe = 1\n")
    assert offered("control", "ban", "a") == []


@pytest.mark.parametrize("content", [b"", b"no store at all" * 100])
def test_what_is_no_store_offers_nothing_and_no_traceback(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other.db").write_bytes(content)
    assert offered("control", "ban", "--store", str(tmp_path / "other.db"), "") == []
