"""minicrawl man"""

import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from support.command_line import run

from minicrawl.cli import main
from minicrawl.cli.man import commands, man_page, plain

COMMANDS = list(commands(main))


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=["-".join(words) for words, _ in COMMANDS])
def test_page_has_every_option_and_example_of_its_command(words: tuple[str, ...], command: click.Command) -> None:
    page = man_page(words, command)
    for one in command.params:
        if isinstance(one, click.Option) and not one.hidden:
            assert plain(max(one.opts, key=len)) in page
    assert page.startswith(f'.TH "{"-".join(words).upper()}" "1"')
    assert (".SH EXAMPLE\nminicrawl" in page) == bool(command.epilog)
    known = (".TH", ".SH", ".TP", ".PP", ".B ", ".nf", ".fi")
    assert [line for line in page.splitlines() if line.startswith((".", "'")) and not line.startswith(known)] == []


def test_what_troff_would_take_for_its_own_is_printed_as_it_is() -> None:
    assert plain(".TH") == "\\&.TH"
    assert plain("'quoted' --a-b") == "\\&'quoted' \\-\\-a\\-b"
    assert plain("a\\b") == "a\\eb"


def test_pages_are_written_for_all_commands(tmp_path: Path) -> None:
    result = run("man", tmp_path / "man1")
    assert result.exit_code == 0
    names = {path.name for path in (tmp_path / "man1").iterdir()}
    assert names == {f"{'-'.join(words)}.1" for words, _ in COMMANDS}
    assert {"minicrawl.1", "minicrawl-crawl.1", "minicrawl-control-set.1"} <= names
    (tmp_path / "file").touch()
    again = run("man", tmp_path / "file")
    assert again.exit_code == 2


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_groff_has_nothing_against_the_pages(tmp_path: Path) -> None:
    run("man", tmp_path)
    pages = [tmp_path / name for name in ("minicrawl.1", "minicrawl-crawl.1", "minicrawl-config-show.1")]
    done = subprocess.run(["groff", "-man", "-ww", "-Tascii", *pages], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "--max-depth" in re.sub(r".\x08|\x1b\[\d+m", "", done.stdout)
