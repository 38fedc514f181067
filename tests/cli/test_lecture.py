"""What 'minicrawl lab lecture' prints."""

import numpy as np
from support.command_line import answer, run

from minicrawl.cli.lecture import lines
from minicrawl.lab.lecture import Example, examples


def test_every_example_stands_beside_what_was_found() -> None:
    printed = run("lab", "lecture").output.splitlines()
    titles = [example.title for example in examples()]
    assert [line for line in printed if line in titles] == titles
    assert printed[-1] == f"{len(titles)} of {len(titles)} examples agree."
    assert printed[1].split() == ["the", "lecture", "0.6367", "0.6052", "0.3380", "0.3380"]


def test_json_has_all_figures() -> None:
    for shown, example in zip(answer("lab", "lecture"), examples(), strict=True):
        assert (shown["stated"], shown["found"]) == (list(example.stated), example.found.tolist())
        assert shown["agrees"] is True


def test_what_does_not_agree_is_named() -> None:
    wrong = Example("Sums", "by hand", [0.5], np.array([0.25]))
    assert list(lines([wrong])) == [
        "Sums",
        "  by hand        0.5000",
        "  minicrawl      0.2500   not the same, at most 0.2 off",
        "",
        "0 of 1 examples agree.",
    ]
