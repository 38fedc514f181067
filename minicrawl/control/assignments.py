"""Settings as they are written behind `control set`: delay=2, pages=none, deny=/archive/."""

import re
from collections.abc import Iterable, Mapping
from typing import Any  # Any: JSON

from minicrawl.errors import ConfigError
from minicrawl.settings import SETTINGS

_FLAGS = {"yes": True, "on": True, "true": True, "1": True, "no": False, "off": False, "false": False, "0": False}


def assigned(texts: Iterable[str]) -> Mapping[str, Any]:
    """The settings by name, in what JSON has. Raises ConfigError.

    What is written twice is there twice where a setting takes several values. Where it takes none, "none" or nothing
    takes it away. Names are spelled as options, with dashes, or as in Python. Values are read by the settings.
    """
    given: dict[str, Any] = {}
    for text in texts:
        spelling, equals, value = text.partition("=")
        name = spelling.strip().removeprefix("--").replace("-", "_")
        if not equals or not name:
            word = re.match(r"[\w-]*", text)  # what is behind it may be secret
            raise ConfigError(f"a setting is written as NAME=VALUE, such as delay=2, not {word and word[0]!r} alone")
        default = SETTINGS[name].default if name in SETTINGS else ""
        if default == ():
            given.setdefault(name, [])
            given[name] += [value] if value else []
        elif isinstance(default, bool):
            if value.lower() not in _FLAGS:
                raise ConfigError(f"{spelling} is yes or no, not {value!r}")
            given[name] = _FLAGS[value.lower()]
        else:
            given[name] = None if default is None and value.lower() in ("", "none") else value
    return given
