"""Tables of which all rows are tried in one test: to set up a test for each takes longer than most rows do."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]
_NAMED = type(pytest.param())


def each(names: str | tuple[str, ...], rows: Iterable[Any], ids: Iterable[str] = ()) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, but within one test, which fails with every row that does, by name.

    For tens of rows that take some milliseconds each. What a row leaves behind, the next one finds.
    """
    wanted = (names,) if isinstance(names, str) else names
    table = [row if isinstance(row, _NAMED) else pytest.param(*((row,) if wanted == (names,) else row)) for row in rows]
    told = list(ids) or [str(row.id or row.values) for row in table]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def tried(**given: Any) -> None:
            failures = []
            for name, row in zip(told, table, strict=True):
                try:
                    test(**given, **dict(zip(wanted, row.values, strict=True)))
                except (Exception, pytest.fail.Exception) as failure:
                    failure.add_note(f"in the row {name:.200}")
                    failures.append(failure)
            if failures:
                raise failures[0] if len(failures) == 1 else BaseExceptionGroup("several rows fail", failures)

        signature = inspect.signature(test)
        others = [parameter for name, parameter in signature.parameters.items() if name not in wanted]
        tried.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return tried

    return decorate
