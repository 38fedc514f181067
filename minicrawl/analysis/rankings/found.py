"""What a ranking comes to: values of pages, and what to say of how they came about."""

from dataclasses import dataclass

from minicrawl.analysis.folded_aliases import FloatArray


@dataclass(frozen=True, eq=False)
class Found:
    """Values per page, by the name of their ranking; notes: a sentence each."""

    values: dict[str, FloatArray]
    notes: tuple[str, ...] = ()
