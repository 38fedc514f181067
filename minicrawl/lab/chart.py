"""Write results of experiments to files: curves as a picture, rows as CSV."""

import csv
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from minicrawl.errors import SettingError
from minicrawl.experiment import Result, rounded

STYLE = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 9,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "svg.fonttype": "none",  # text stays text: a third of the size
    "svg.hashsalt": "minicrawl",
}


def write(result: Result, out: Path) -> list[Path]:
    """Write NAME.csv and NAME.svg into the folder `out`, made if missing. Returns both paths; raises SettingError."""
    rows, chart = out / f"{result.name}.csv", out / f"{result.name}.svg"
    try:
        out.mkdir(parents=True, exist_ok=True)
        with rows.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(result.columns)
            writer.writerows([rounded(value) for value in row] for row in result.rows)
        draw(result, chart)
    except OSError as error:
        raise SettingError(f"--out {out} cannot be written: {error.strerror}; name another folder") from error
    return [rows, chart]


def draw(result: Result, path: Path) -> None:
    """Draw the panels of a result side by side, as SVG. Output is deterministic."""
    # A local style: a program that uses the lab may have its own.
    with mpl.rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(5.2 * len(result.panels), 3.8), layout="constrained")
        figure.suptitle(result.title)
        axes = figure.subplots(1, len(result.panels), squeeze=False)[0]
        for system, panel in zip(axes, result.panels, strict=True):
            for curve in panel.curves:
                system.plot(curve.x, curve.y, label=curve.name, marker="." if len(curve.x) <= 20 else None)
            system.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
            if panel.log:
                system.set_yscale("log")
            system.legend(fontsize=7)
        figure.savefig(path, format="svg", metadata={"Date": None})
