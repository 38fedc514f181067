"""A tree of files below the index pages of Apache or nginx (apt-get install apache2 nginx-light)."""

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from apps.application import Application, file_of, free_port, prose, served


@contextlib.contextmanager
def index(name: str, folder: Path, seed: int = 3) -> Iterator[Application]:
    """A server's own index of 60 folders with 720 pages, made in `folder` unless it is there."""
    files, rng, port = folder / "files", random.Random(seed), free_port()
    paths = [f"box{top}/part{low}/note{place}.html" for top in range(10) for low in range(6) for place in range(12)]
    for path in paths:
        if not (files / path).exists():
            (files / path).parent.mkdir(parents=True, exist_ok=True)
            (files / path).write_text(f"<html><title>{path}</title><h1>{path}</h1><p>{prose(rng)}</p></html>")
    text = file_of(f"{name}.conf").format(folder=folder, files=files, port=port, modules="/usr/lib/apache2/modules")
    (folder / "server.conf").write_text(text)
    front = f"http://127.0.0.1:{port}/"
    words = ["apache2", "-D", "FOREGROUND", "-f"] if name == "apache" else ["nginx", "-c"]
    with served(*words, folder / "server.conf", waits_for=front, cwd=folder):
        yield Application(name, front, _page_of, frozenset(f"/{path}" for path in paths))


def _page_of(url: str) -> str | None:
    parts = urlsplit(url)
    path = unquote(parts.path)
    return None if parts.query else f"*{path}" if path.endswith("/") else path
