"""Frames replace each other on a terminal, and leave nothing of themselves, whatever becomes of its size."""

import random

import pytest
from support.terminal import Terminal

from minicrawl.cli.frame import Frame


def test_a_frame_replaces_the_one_before() -> None:
    terminal = Terminal(80)
    frame = Frame(terminal, terminal.size)  # type: ignore[arg-type]
    terminal.write("before\n")
    for lines in (["one", "two", "three"], ["four"], [], ["five", "six"]):
        frame.draw(lines)
        assert terminal.screen == ["before", *lines]
    frame.clear()
    assert terminal.screen == ["before"]


@pytest.mark.parametrize("seed", range(30))
def test_nothing_is_left_behind_on_a_terminal_that_is_resized(seed: int) -> None:
    rng = random.Random(seed)
    terminal = Terminal(100)
    frame = Frame(terminal, terminal.size)  # type: ignore[arg-type]
    terminal.write("before\n")
    for _ in range(50):
        columns, rows = frame.room
        lines = ["\x1b[32m" + "x" * rng.randrange(columns + 1) + "\x1b[0m" for _ in range(rng.randrange(1, rows + 9))]
        frame.draw(lines)
        shown = [line[5:-4] for line in lines[:rows]]
        assert terminal.screen == ["before", *(line for line in shown if line)]
        terminal.columns, terminal.rows = rng.randrange(20, 200), rng.randrange(5, 60)
    frame.clear()
    assert terminal.screen == ["before"]


def test_what_others_print_stands_above() -> None:
    terminal = Terminal(80)
    frame = Frame(terminal, terminal.size)  # type: ignore[arg-type]
    frame.draw(["one", "two"])
    frame.write("a warning\n")
    frame.draw(["three"])
    assert terminal.screen == ["a warning", "three"]


def test_wide_characters_take_two_columns() -> None:
    terminal = Terminal(60)
    frame = Frame(terminal, terminal.size)  # type: ignore[arg-type]
    terminal.write("before\n")
    frame.draw(["日本" * 14, "e\u0301" * 50])
    terminal.columns = 25
    frame.draw(["x"])
    assert terminal.screen == ["before", "x"]
