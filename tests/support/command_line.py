"""Commands as a user types them, run in this process; and the web that most of them are tried on."""

import json
import logging
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from support.sites import Site

from minicrawl.cli import main

HOME = "http://a.test/"


SITE: Site = {
    HOME: ["/a", "/b", "/gone", "http://b.test/"],
    HOME + "a": [HOME, "/b", '<title>=cmd("x")</title>'],
    HOME + "b": ["/a", "<title>B\x1b[31m\n page</title>"],
    "http://b.test/": HOME,
}


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def answer(*words: str | Path) -> Any:
    """What a command that succeeds says with --json."""
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def end_logs() -> None:
    """Close what a command has opened for its log: in a shell, its end does."""
    logger = logging.getLogger("minicrawl")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(logging.NOTSET)
