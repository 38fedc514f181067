"""Trac, of PyPI, with 120 wiki pages and 150 tickets."""

import contextlib
import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from apps.application import Application, free_port, names, prose, run, served

_FILL = """
import json, sys
from trac.env import Environment
from trac.ticket.model import Ticket
from trac.wiki.model import WikiPage
environment, texts = Environment(sys.argv[1]), json.load(sys.stdin)
for name, versions in texts["pages"].items():
    for text in versions:
        page = WikiPage(environment, name)
        page.text = text
        page.save("gardener", "a change")
for title, text, comment in texts["tickets"]:
    ticket = Ticket(environment)
    ticket.populate({"summary": title, "description": text, "reporter": "gardener", "status": "new", "type": "defect"})
    ticket["milestone"], ticket["component"] = f"milestone{len(title) % 4 + 1}", f"component{len(title) % 2 + 1}"
    ticket.insert()
    ticket.save_changes("gardener", comment)
"""
_TICKETS = 150


@contextlib.contextmanager
def application(folder: Path, pages: int = 120, seed: int = 4) -> Iterator[Application]:
    """The tracker, installed and filled in `folder` unless it is there, and served in the block."""
    rng, programs, project = random.Random(seed), folder / "venv/bin", folder / "project"
    titles = [f"Page{title.title().replace(' ', '')}" for title in names(rng, pages)]
    if not project.exists():
        run(sys.executable, "-m", "venv", folder / "venv")
        run(programs / "pip", "install", "-q", "Trac==1.6", "setuptools<81")
        run(programs / "trac-admin", project, "initenv", "Gates", "sqlite:db/trac.db")
        texts = {}
        for number, title in enumerate(titles):
            links = " ".join(f"[wiki:{to}]" for to in [*rng.choices(titles, k=3), titles[number - 1]])
            texts[title] = [f"= {title} =\n{prose(rng)}\n{links}" for _ in range(2)]
        texts["WikiStart"] = ["= Gates =\n" + " ".join(f"[wiki:{title}]" for title in titles[:12])]
        tickets = [(title, prose(rng), prose(rng, 30)) for title in names(rng, _TICKETS)]
        run(programs / "python", "-c", _FILL, project, given=json.dumps({"pages": texts, "tickets": tickets}))
    port = free_port()
    front = f"http://127.0.0.1:{port}/project"
    words = (programs / "tracd", "--hostname", "127.0.0.1", "--port", str(port), project)
    with served(*words, waits_for=front, cwd=folder):
        wanted = {*(f"wiki/{title}" for title in [*titles, "WikiStart"]), *(f"ticket/{n + 1}" for n in range(_TICKETS))}
        yield Application("trac", front, _page_of, frozenset(wanted))


_MILESTONES = re.compile(r"(milestone/[^/]+|roadmap|report(/\d+)?|timeline|query|search|about|browser)")


def _page_of(url: str) -> str | None:
    parts = urlsplit(url)
    path = unquote(parts.path).removeprefix("/project").strip("/")
    if parts.query:
        return None
    if path in {"", "wiki"}:
        return "wiki/WikiStart"
    if path.startswith(("wiki/", "ticket/")):
        return path
    return f"*{path}" if _MILESTONES.fullmatch(path) else None
