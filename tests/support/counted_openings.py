"""Run commands with few open files allowed: python -m support.counted_openings COMMANDS, a JSON list of argument lists.

Prints a JSON list with the exit code of each, and how often it opened a database.
"""

import json
import resource
import sys

from click.testing import CliRunner

from minicrawl.cli import main as minicrawl

FILES = 256


def main(commands: list[list[str]]) -> None:
    opened = 0

    def note(event: str, _: object) -> None:
        nonlocal opened
        opened += event == "sqlite3.connect"

    sys.addaudithook(note)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    found = []
    for command in commands:
        opened = 0
        answer = CliRunner().invoke(minicrawl, command)
        found.append((answer.exit_code, opened))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
