"""The table of crawl orders."""

from minicrawl.cli.orders import table
from minicrawl.lab.orders import Compared


def test_orders_stand_below_each_other_with_what_they_gain() -> None:
    some = [
        Compared("learnt", 0.75, 0.4, 0.7, 0.05, 0.001, 5, 5, 1.0),
        Compared("windowed RankMass", 0.72512, 0.3, 0.6, 0.02512, 0.01, 4, 5, 0.5024),
        Compared("greedy", 0.7, 0.25, 0.5, 0.0, 0.0, 0, 5, None),
    ]
    assert [line.rstrip() for line in table(some)] == [
        "order                  area  at 10 %  at 30 %     gain      sd  sets better  of what trees gain",
        "learnt               0.7500    0.400    0.700  +0.0500  0.0010       5 of 5                100%",
        "windowed RankMass    0.7251    0.300    0.600  +0.0251  0.0100       4 of 5                 50%",
        "greedy               0.7000    0.250    0.500  +0.0000  0.0000       0 of 5",
    ]


def test_trees_that_were_not_tried_have_no_column() -> None:
    head, line = table([Compared("greedy", 0.7, 0.25, 0.5, 0.0, 0.0, 0, 2, None)])
    assert head.endswith("sets better")
    assert line.endswith("0 of 2")
