"""What brings an extra, and the user's Chromium."""

import os
import platform
import shutil
import sys
from importlib import util
from pathlib import Path

from minicrawl.errors import SettingError

WITHOUT_WINDOWS = "chromium-headless-shell"
CHROMIUMS = (WITHOUT_WINDOWS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Programs, the first of which takes a fifth of the CPU: it has no windows to make."""
_FILES = ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",)
_DEBIAN = "google-chrome-stable_current_amd64.deb"
_CHROMIUM = {
    "debian": "apt-get install chromium-headless-shell",
    # Its own Chromium is a snap, which starts in no cage of ours.
    "ubuntu": f"wget https://dl.google.com/linux/direct/{_DEBIAN} && apt-get install ./{_DEBIAN}",
    "fedora": "dnf install chromium",
    "darwin": "brew install --cask google-chrome",
}


def adding(extra: str) -> str:
    """The shell command that installs an extra."""
    return f"pip install 'minicrawl[{extra}]>=1'"


def adding_chromium() -> str:
    """The shell command that installs a Chromium on this system; empty if we know of none."""
    if sys.platform == "darwin":
        return _CHROMIUM["darwin"]
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        return ""
    names = [system["ID"], *system.get("ID_LIKE", "").split()]
    return next((_CHROMIUM[name] for name in names if name in _CHROMIUM), "")


def find_chromium(chosen: Path | None) -> Path:
    """The Chromium to use. Raises SettingError if there is none, or nothing to speak with it."""
    if util.find_spec("playwright") is None:
        raise SettingError(f"--render needs playwright; run: {adding('render')}")
    if chosen is not None:
        if not os.access(chosen, os.X_OK) or not chosen.is_file():
            raise SettingError(f"--chromium {chosen} is not a program; name the file of a Chromium")
        return chosen
    found = next(filter(None, map(shutil.which, (*CHROMIUMS, *_FILES))), None)
    if found is None:
        line = adding_chromium()
        raise SettingError(
            f"--render needs a Chromium, and there is no {', '.join(CHROMIUMS[:4])} on the PATH; "
            f"{f'run: {line}' if line else 'install one'}, or name it: --chromium FILE"
        )
    return Path(found)
