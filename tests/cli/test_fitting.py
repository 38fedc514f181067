"""Lines fit the terminal, whatever stands in them, and nothing is left out but the middle of what is too long."""

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, set_cell_size

from minicrawl.cli.output import clipped, fitted, shortened

_TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z", "M", "S"]) | st.sampled_from("日é /"), max_size=60
)


@given(_TEXTS, st.integers(4, 70))
def test_a_text_is_as_short_as_asked_and_keeps_both_ends(text: str, columns: int) -> None:
    short = shortened(text, columns)
    assert cell_len(short) <= columns
    if cell_len(text) <= columns:
        assert short == text
    else:
        begin, _, end = short.partition("…")
        assert text.startswith(begin)
        assert text.endswith(end)
        assert cell_len(short) >= columns - 2  # a wide character may be too wide for what is left


@given(_TEXTS, st.integers(4, 70))
def test_a_title_loses_its_end(text: str, columns: int) -> None:
    clip = clipped(text, columns)
    assert cell_len(set_cell_size(clip, columns)) == columns
    assert clip == text or text.startswith(clip.removesuffix("…"))


@given(
    st.sampled_from(["", "reasons   ", "  state       ", "              ", "  found on    "]),
    st.lists(st.text("abc/.,日", min_size=1, max_size=90), max_size=30),
    st.integers(40, 200),
)
def test_a_line_is_broken_between_words_below_its_value(label: str, words: list[str], columns: int) -> None:
    line = label + " ".join(words)
    rows = list(fitted([line], columns))
    if cell_len(line) <= columns:
        assert rows == [line]
        return
    assert max(map(cell_len, rows)) <= columns
    assert rows[0].startswith(label)
    indent = len(label) or 2
    assert all(row.startswith(" " * indent) for row in rows[1:])
    shown = rows[0][len(label) :].split() + [word for row in rows[1:] for word in row.split()]
    for word, short in zip(words, shown, strict=True):
        assert short == shortened(word, columns - indent)


def test_where_there_is_no_terminal_everything_stands_in_full() -> None:
    assert list(fitted(["x " * 1000])) == ["x " * 1000]
    assert not re.search("…", shortened("x" * 80, 80))
