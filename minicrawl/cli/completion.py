"""minicrawl completion"""

import click
from click.shell_completion import get_completion_class

from minicrawl.cli.options import logging_options

_PROGRAM = "minicrawl"
_SHELLS = ("bash", "zsh", "fish")


@click.command(epilog="Example: minicrawl completion bash >> ~/.bashrc")
@click.argument("shell", type=click.Choice(_SHELLS))
@logging_options
def command(shell: str) -> None:
    """Print what lets SHELL complete commands, options, rankings, hosts and files when Tab is pressed.

    Nothing is written: send it where the shell reads it when it starts. For fish that is
    ~/.config/fish/completions/minicrawl.fish.
    """
    found = get_completion_class(shell)
    assert found is not None
    names = {"prog_name": _PROGRAM, "complete_func": f"_{_PROGRAM}_completion"}
    click.echo(found.source_template % {**names, "complete_var": f"_{_PROGRAM.upper()}_COMPLETE"})
