"""What some tests need of the machine: without it they are skipped, but where it must be there, the run fails."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec

import pytest

from minicrawl.installed import CHROMIUMS

VARIABLE = "TESTS_NEED"
"""Of the environment: names of NEEDS that must be there, with commas between them."""
CHROMIUM = next(filter(None, map(shutil.which, CHROMIUMS)), None)
ROOT_OF_ITS_OWN = ("unshare", "--user", "--map-root-user", "--net")
"""Runs a command in a network of its own, as its root."""


def _has_namespaces() -> bool:
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    return subprocess.run([*ROOT_OF_ITS_OWN, "true"], capture_output=True, check=False).returncode == 0


NEEDS: Mapping[str, Callable[[], bool]] = {
    "chromium": lambda: CHROMIUM is not None and find_spec("playwright") is not None,
    "curl": lambda: shutil.which("curl") is not None,
    "namespaces": _has_namespaces,
    "openssl": lambda: shutil.which("openssl") is not None,
    "ray": lambda: find_spec("ray") is not None,
    "root": lambda: os.geteuid() == 0,
}


@cache
def is_there(name: str) -> bool:
    return name in NEEDS and NEEDS[name]()


def needs(name: str) -> pytest.MarkDecorator:
    """Mark tests that are skipped where something is missing; `-m needs` selects them."""
    return pytest.mark.needs(name)


def skip_what_lacks(item: pytest.Item) -> None:
    """Skip a test that needs what is not here; one that uses the fixture `ray` needs that."""
    if "ray" in getattr(item, "fixturenames", ()):
        item.add_marker(needs("ray"))
    for mark in item.iter_markers("needs"):
        if not is_there(mark.args[0]):
            item.add_marker(pytest.mark.skip(reason=f"needs {mark.args[0]}"))


def missing() -> Iterator[str]:
    """What the environment says must be there, and is not."""
    wanted = filter(None, os.environ.get(VARIABLE, "").split(","))
    return (name for name in wanted if not is_there(name))
