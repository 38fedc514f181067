"""Results of a suite: tables of figures with their spread, as JSON (results.schema.json) and as a page."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

OURS, PEER, BOUND = "ours", "peer", "bound"
"""Kinds of rows. A bound is what no program can surpass, or what takes no program: a simulation, chance."""


@dataclass(frozen=True)
class Column:
    """better: "less" or "more", or "" where neither is. digits: after the point, on the page; -1: powers of ten."""

    name: str
    better: str = ""
    digits: int = 1


@dataclass(frozen=True)
class Figure:
    """A median, the least and the greatest of some runs or draws."""

    value: float
    low: float
    high: float
    runs: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Figure":
        return cls(statistics.median(values), min(values), max(values), len(values))


@dataclass(frozen=True)
class Row:
    """figures: one a column; None: not measured."""

    name: str
    kind: str
    figures: tuple[Figure | None, ...]

    @classmethod
    def of(cls, name: str, kind: str, *columns: Sequence[float]) -> "Row":
        """A row of the values of each column; () where there are none."""
        return cls(name, kind, tuple(Figure.of(values) if len(values) else None for values in columns))


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def page(results: Mapping[str, Any]) -> str:
    """Results, as read from JSON, as a page in Markdown."""
    machine = results["machine"]
    busy = " The machine was busy with other work: compare CPU and counts, not pages a second."
    busy *= max(machine["load_before"], machine["load_after"]) > machine["cores"]
    lines = [
        "# Benchmarks",
        "",
        "Made by `python bench/public/run.py`"
        + (" with `--quick`: small inputs, and nobody to compare with" * results["quick"])
        + f" on {results['date']}: {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}, Python "
        f"{machine['python']}, minicrawl {results['minicrawl']}; load {machine['load_before']} before and "
        f"{machine['load_after']} after. [How to run it](../bench/public/README.md).",
        "",
        "A figure is the median of its runs, with the least and the greatest in brackets. CPU is user and system time "
        f"of all processes of a program. **Bold** is the best of programs; bounds are in *italics*.{busy}",
    ]
    for suite in results["suites"]:
        lines += ["", f"## {suite['title']}", "", suite["measures"], ""]
        lines += [f"- {note}" for note in suite["fair"]]
        for table in suite["tables"]:
            lines += ["", f"### {table['title']}", "", *_table(table), ""]
            lines += [table["note"], ""] if table["note"] else []
            lines += _who_is_better(table)
        lines += ["", *_peers(suite["peers"])]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _table(table: Mapping[str, Any]) -> Iterator[str]:
    columns = table["columns"]
    yield "| | " + " | ".join(column["name"] for column in columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    best = [_best(table, number) for number in range(len(columns))]
    for row in table["rows"]:
        cells = [_cell(row, number, column, best[number]) for number, column in enumerate(columns)]
        yield f"| {'*' * (row['kind'] == BOUND)}{row['name']}{'*' * (row['kind'] == BOUND)} | {' | '.join(cells)} |"


def _best(table: Mapping[str, Any], number: int) -> str | None:
    """The best figure of a column as shown, among programs; None where none is better than another."""
    column = table["columns"][number]
    shown = [row["figures"][number] for row in table["rows"] if row["kind"] != BOUND and row["figures"][number]]
    if not column["better"] or len(shown) < 2:
        return None
    choose = min if column["better"] == "less" else max
    return _number(choose(figure["value"] for figure in shown), column)


def _number(value: float, column: Mapping[str, Any]) -> str:
    return f"{value:.0e}" if column["digits"] < 0 else f"{value:,.{column['digits']}f}"


def _cell(row: Mapping[str, Any], number: int, column: Mapping[str, Any], best: str | None) -> str:
    figure = row["figures"][number]
    if figure is None:
        return "-"
    value, low, high = (_number(figure[name], column) for name in ("value", "low", "high"))
    strong = "**" if value == best and row["kind"] != BOUND else ""
    return f"{strong}{value}{strong}" + (f" ({low}–{high})" if low != high else "")


def _who_is_better(table: Mapping[str, Any]) -> list[str]:
    """A sentence that names every peer with a better figure than the best of minicrawl's rows; none without peers."""
    if not any(row["kind"] == PEER for row in table["rows"]):
        return []
    found = []
    for number, column in enumerate(table["columns"]):
        figures = [
            (row["name"], row["kind"], row["figures"][number]) for row in table["rows"] if row["figures"][number]
        ]
        sign = -1.0 if column["better"] == "less" else 1.0
        best = max(
            (figure for _, kind, figure in figures if kind == OURS), key=lambda one: sign * one["value"], default=None
        )
        if not column["better"] or best is None:
            continue
        names = [
            name
            for name, kind, figure in figures
            if kind == PEER and sign * figure["value"] > sign * best["value"]
            if _number(figure["value"], column) != _number(best["value"], column)
        ]
        if names:
            found.append(f"{column['name']}: {', '.join(names)}")
    return [f"Better than minicrawl here: {'; '.join(found)}." if found else "No peer is better than minicrawl here."]


def _peers(peers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if peers:
        yield "| peer | from | version | licence |"
        yield "|---|---|---|---|"
    for peer in peers:
        said = peer["version"] if peer["state"] == "measured" else f"{peer['state']}: {peer['reason']}"
        asked = (
            f"{peer['registry']}: {', '.join(f'`{one}`' for one in peer['packages'])}"
            if peer["packages"]
            else peer["registry"]
        )
        yield f"| {peer['name']} | {asked} | {said} | {peer['licence']} |"
