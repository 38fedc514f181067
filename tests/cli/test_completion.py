"""minicrawl completion"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import run


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
