"""How two rankings differ."""

import json

from minicrawl.analysis.compare import Alone, Counts, Mover, Placed, compare


def test_rankings_are_matched_by_url() -> None:
    found = compare({"a": 3.0, "b": 2.0, "c": 1.0}, {"b": 3.0, "a": 2.0, "d": 1.0}, 5)
    assert found.pages == Counts(3, 3, 2)
    assert found.risen == (Mover("b", 2, 1, 0.4, 0.6, 0.6 / 0.4),)
    assert found.fallen == (Mover("a", 1, 2, 0.6, 0.4, 0.4 / 0.6),)
    assert (found.only_a, found.only_b) == (Alone(1, (Placed("c", 3, 1 / 6),)), Alone(1, (Placed("d", 3, 1 / 6),)))
    assert found.tau == -1.0


def test_a_ranking_does_not_differ_from_itself() -> None:
    found = compare({"a": 2.0, "b": 1.0}, {"a": 2.0, "b": 1.0}, 5)
    assert (found.l1, found.tau, found.risen, found.fallen) == (0.0, 1.0, (), ())
    assert found.only_a == Alone(0, ())
    assert set(found.overlap.values()) == {1.0}


def test_where_there_is_no_order_there_are_no_numbers() -> None:
    found = compare({"a": 1.0}, {"b": 0.0}, 5)
    assert (found.tau, found.l1) == (None, None)


def test_no_more_is_told_than_is_asked_for() -> None:
    found = compare({"a": 3.0, "b": 2.0, "x": 1.0, "y": 0.5}, {"b": 3.0, "a": 2.0}, 1)
    assert (len(found.risen), found.only_a.pages, len(found.only_a.best)) == (1, 2, 1)
    assert set(json.loads(json.dumps(found.as_json()))) == {
        *("pages", "overlap", "tau", "l1", "risen", "fallen", "only_a", "only_b", "gone", "new"),
    }


def test_gone_is_what_could_be_opened_and_cannot_be_now() -> None:
    before = dict.fromkeys("abcd", "fetched") | {"e": "error"}
    after = {"a": "fetched", "b": "gone", "c": "waiting", "e": "fetched"}
    found = compare({"a": 5.0, "b": 2.0, "c": 4.0, "d": 3.0, "e": 1.0}, dict.fromkeys("abce", 1.0), 5, (before, after))
    assert found.gone == Alone(2, (Placed("d", 3, 3 / 15), Placed("b", 4, 2 / 15)))
    assert found.new == Alone(1, (Placed("e", 1, 1 / 4),))
    assert found.only_a == Alone(1, (Placed("d", 3, 3 / 15),))
