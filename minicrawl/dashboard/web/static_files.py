"""The page itself: HTML, style and scripts, as they stand in the folder static. There is nothing secret in them."""

from collections.abc import Mapping
from importlib.resources import files

from minicrawl.dashboard.web.http_messages import Answer

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def static_files() -> Mapping[str, Answer]:
    """Every file by its path on the server; the page itself also at /."""
    found = {}
    for file in files("minicrawl.dashboard").joinpath("static").iterdir():
        ending = file.name[file.name.rfind(".") :]
        if ending in _TYPES:
            found[f"/{file.name}"] = Answer(200, file.read_bytes(), _TYPES[ending])
    return {**found, "/": found["/index.html"]}
