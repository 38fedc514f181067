"""What `minicrawl lab lecture` prints."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minicrawl.lab.lecture import Example


def lines(examples: "Sequence[Example]") -> Iterator[str]:
    """Each example with its figures and ours, one below the other."""
    for example in examples:
        yield example.title
        yield _row(example.source, example.stated)
        verdict = "the same" if example.agrees else "not the same"
        yield f"{_row('minicrawl', example.found.tolist())}   {verdict}, at most {example.error:.1g} off"
        yield ""
    agree = sum(example.agrees for example in examples)
    yield f"{agree} of {len(examples)} examples agree."


def documents(examples: "Sequence[Example]") -> list[dict[str, object]]:
    return [
        {
            "example": example.title,
            "source": example.source,
            "stated": list(example.stated),
            "found": example.found.tolist(),
            "agrees": example.agrees,
        }
        for example in examples
    ]


def _row(name: str, values: Sequence[float]) -> str:
    return f"  {name:<12}" + "".join(f"{value:>9.4f}" for value in values)
