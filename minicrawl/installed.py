"""What brings an extra, and the user's Chromium."""

import platform
import sys

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
