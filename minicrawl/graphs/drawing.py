"""Pictures of a graph's structure, and the style that all pictures share."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from minicrawl.errors import SettingError
from minicrawl.rank.components import Part
from minicrawl.rank.degrees import Degrees
from minicrawl.rank.graph_stats import GraphStats
from minicrawl.rank.pagerank import FloatArray

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


def draw_graph_stats(stats: GraphStats, importance: FloatArray, path: Path) -> None:
    """Degrees, bow tie and spread of importance of a web, as .png or .svg. Raises SettingError."""
    with mpl.rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(10.4, 7.6), layout="constrained")
        inlinks, outlinks, parts, spread = figure.subplots(2, 2).flat
        _draw_degrees(inlinks, stats.indegrees, "in-links")
        _draw_degrees(outlinks, stats.outdegrees, "out-links")
        percent = 100.0 * np.bincount(stats.parts, minlength=len(Part)) / stats.pages
        parts.barh([part.name.lower() for part in Part], percent)
        parts.invert_yaxis()
        parts.set(title="bow tie", xlabel="% of the pages")
        shares, held = importance_curve(importance)
        spread.plot(shares, held)
        spread.set(title="spread of importance", xlabel="share of the pages, most important first",
                   ylabel="share of importance they hold", xscale="log", ylim=(0.0, 1.02))  # fmt: skip
        kind = path.suffix.lower().removeprefix(".")
        try:
            figure.savefig(path, format=kind, metadata={"Date": None} if kind == "svg" else None)
        except OSError as error:
            raise SettingError(f"--plot {path} cannot be written: {error.strerror}; name another file") from error


def importance_curve(importance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Concentration of importance: shares of the pages, most important first, and the share of importance they hold."""
    held = np.cumsum(np.sort(importance)[::-1])
    return np.arange(1, len(held) + 1) / len(held), held / held[-1]


def _draw_degrees(axes: Axes, degrees: Degrees, name: str) -> None:
    """Plot the share of pages with at least a given degree, and the power law of the tail; both axes logarithmic."""
    pages = degrees.counts.sum()
    some = degrees.values > 0
    at_least = np.cumsum(degrees.counts[::-1])[::-1] / pages
    axes.plot(degrees.values[some], at_least[some], ".", markersize=3, label="pages")
    law = degrees.law
    if law is not None:
        tail = np.geomspace(law.xmin, degrees.largest, 50)
        label = f"power law, exponent {law.alpha:.2f} from {law.xmin} on"
        axes.plot(tail, law.at_least(tail) * law.tail / pages, label=label)
    axes.set(title=name, xlabel=name, ylabel="share of the pages with at least as many", xscale="log", yscale="log")
    axes.legend(fontsize=7)
