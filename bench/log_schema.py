"""The JSON schema of a line of --log-format json, made of the events: docs/log-events.schema.json.

python bench/log_schema.py > docs/log-events.schema.json
"""

import inspect
import json
import logging
import sys
from collections.abc import Callable, Mapping
from typing import Any

from minicrawl import log

_KINDS: Mapping[object, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    int | None: {"type": ["integer", "null"]},
    str | None: {"type": ["string", "null"]},
    Exception: {"type": "string"},
    Mapping[str, object]: {"type": "object"},
}
_LEVELS = ["debug", "info", "warning", "error"]


def schema() -> Mapping[str, Any]:
    """The JSON schema of a line of --log-format json."""
    of_each = [_schema(name, logging.getLevelName(level).lower(), event) for name, (level, event) in log.EVENTS.items()]
    own = {"level": {"enum": _LEVELS}, "traceback": {"type": "string"}, "event": {"const": "message"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of minicrawl's log",
        "type": "object",
        "required": [*_ALWAYS, "level", "event"],
        "properties": {**_ALWAYS, "partition": {"type": "integer"}},
        "oneOf": [*of_each, {"properties": own}],
        "unevaluatedProperties": False,
    }


_ALWAYS: Mapping[str, Mapping[str, Any]] = {
    "time": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"},
    "run": {"type": "string", "pattern": "^[0-9a-f]{8}$"},
    "message": {"type": "string"},
}


def _schema(name: str, level: str, event: Callable[..., None]) -> Mapping[str, Any]:
    keys = inspect.signature(event).parameters
    own = {key: _KINDS[keys[key].annotation] for key in keys}
    own |= {"traceback": {"type": "string"}} if "error" in keys else {}
    return {"properties": {"event": {"const": name}, "level": {"const": level}, **own}, "required": [*own]}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(schema(), indent=1) + "\n")
