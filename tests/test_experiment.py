"""What an experiment says, as text and as JSON."""

import json

from minicrawl.experiment import Claim, Result, rounded


def test_claim_is_a_sentence() -> None:
    assert str(Claim("a < b", True, "1 and 2")) == "holds: a < b. Measured: 1 and 2."
    assert str(Claim("a < b", False, "2 and 1")).startswith("does not hold: ")


def test_result_is_json_by_column() -> None:
    result = Result("n", "t", ["pages", "share"], [[1, 0.5], [2, 0.25]], [], [Claim("s", True, "m")])
    found = json.loads(json.dumps(result.as_json()))
    assert found["rows"] == [{"pages": 1, "share": 0.5}, {"pages": 2, "share": 0.25}]
    assert found["claims"] == [{"said": "s", "held": True, "measured": "m"}]


def test_rounded_values_compare_well() -> None:
    assert (rounded(1 / 3), rounded(3), rounded("x"), rounded(123456.0)) == ("0.3333", 3, "x", "1.235e+05")
