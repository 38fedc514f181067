"""The group of settings that say which pages are rendered, and by what."""

from dataclasses import dataclass
from pathlib import Path

from minicrawl.settings import values
from minicrawl.settings.setting import setting


@dataclass(frozen=True)
class Rendering:
    """Pages that scripts make, in a Chromium."""

    render: tuple[str, ...] = setting(
        (),
        values.texts,
        "Run the scripts of pages whose URL matches in a Chromium, and read what they make. Repeatable.",
        check=values.patterns,
        metavar="REGEX",
    )
    chromium: Path | None = setting(
        None,
        values.file,
        "The Chromium for --render, instead of the first chromium, chromium-browser or google-chrome on the PATH.",
        metavar="FILE",
    )
    render_timeout: float = setting(
        30.0,
        values.duration,
        "What the scripts of one page may take, with all they ask for; what the page says by then is read.",
        check=values.more_than(0),
        most="1d",
        shown="30s",
        metavar="TIME",
    )
    render_pages: int = setting(
        4, values.whole, "Pages that one Chromium has open at a time.", check=values.at_least(1), most=64, metavar="N"
    )
