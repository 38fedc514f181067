"""A picture of the live display, from a real crawl: docs/pictures/live-crawl.svg is made by it.

    python bench/picture.py OUT.svg PAGES SEEDS [any setting of minicrawl.crawl, as NAME=VALUE ...]

Crawls into a temporary store, and draws the last moment before PAGES pages were fetched. Above it stands the command,
without what only says how to reach a server on this machine. The picture in the tree is of 8,000 pages of 39 sites of
documentation behind such a server, with scope=host and delay=0.012.
"""

import io
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

import minicrawl
from minicrawl.cli.display import BestSoFar
from minicrawl.cli.live_display import Speeds, render
from minicrawl.model import Progress
from minicrawl.settings import option

_COLUMNS = 118
_UNSAID = {"allow_private", "ca_file", "connect_to", "delay", "ip_delay"}


def value(text: str) -> Any:
    """A setting as JSON has it, such as true or 5; anything else is a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def main(out: Path, pages: int, seeds: str, settings: dict[str, Any]) -> None:
    """Crawl, and draw."""
    moments: list[Progress] = []
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "crawl.db"
        minicrawl.crawl([seeds], store, on_progress=moments.append, pages=pages, **settings)
        best = BestSoFar(store)()
    busy = [moment for moment in moments if moment.in_flight]
    console = Console(record=True, width=_COLUMNS, file=io.StringIO())
    options = [f" {option(name)} {given}" for name, given in settings.items() if name not in _UNSAID]
    console.print(f"[dim]$[/dim] [bold]minicrawl crawl seeds.txt{''.join(options)}[/bold]\n", highlight=False)
    speeds = Speeds()
    for moment in busy:
        speeds.note(moment)
    console.print(render(busy[-1], best, _COLUMNS, speeds=speeds), highlight=False)
    # Without the fonts that would be fetched from elsewhere whenever somebody looks at the picture.
    svg = console.export_svg(title="minicrawl", unique_id="minicrawl")
    svg = re.sub(r"@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)
    out.write_text("\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n", "utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: python bench/picture.py OUT.svg PAGES SEEDS [NAME=VALUE ...]")
    main(
        Path(sys.argv[1]),
        int(sys.argv[2]),
        sys.argv[3],
        {name: value(text) for name, _, text in (word.partition("=") for word in sys.argv[4:])},
    )
