"""The power law of a tail is found again in samples of one; the likeliest exponent is that of a plain search."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special, stats

from minicrawl.rank.graph_stats import PowerLaw, degree_distribution, fitted


def drawn(alpha: float, size: int, seed: int) -> npt.NDArray[np.int64]:
    return np.asarray(stats.zipf(alpha).rvs(size, random_state=seed), dtype=np.int64)


def law_of(degrees: npt.NDArray[np.int64], xmin: int) -> PowerLaw:
    return fitted(*np.unique(degrees[degrees >= xmin], return_counts=True), xmin)


@pytest.mark.parametrize("alpha", [1.8, 2.1, 2.72, 3.5])
def test_exponent_of_samples_is_within_three_standard_errors(alpha: float) -> None:
    degrees = drawn(alpha, 50_000, 1)
    law = law_of(degrees[degrees < 2**62], 1)
    assert abs(law.alpha - alpha) < 3 * law.error
    assert law.distance < 0.01


def test_standard_error_is_the_spread_of_repeated_fits() -> None:
    fits = [law_of(drawn(2.5, 2000, seed), 1) for seed in range(60)]
    assert np.std([law.alpha for law in fits]) == pytest.approx(fits[0].error, rel=0.25)


def test_tail_begins_where_the_law_does() -> None:
    """Degrees below 10 are all as frequent; from 10 on they follow a law of exponent 2.5."""
    rng = np.random.default_rng(0)
    values = np.arange(10, 1_000_000)
    tail = rng.choice(values, 20_000, p=values**-2.5 / (values**-2.5).sum())
    law = degree_distribution(np.append(tail, rng.integers(0, 10, 20_000))).law
    assert law is not None
    assert 8 <= law.xmin <= 14
    assert abs(law.alpha - 2.5) < 4 * law.error


def test_exponent_is_the_likeliest() -> None:
    degrees = drawn(2.3, 500, 3)
    law = law_of(degrees, 2)
    tail = degrees[degrees >= 2]

    def likelihood(alpha: float) -> float:
        return -len(tail) * math.log(special.zeta(alpha, 2)) - alpha * float(np.log(tail).sum())

    assert law.tail == len(tail)
    assert all(likelihood(law.alpha) >= likelihood(law.alpha + step) for step in (-0.1, -1e-3, 1e-3, 0.1))


def test_distance_is_the_largest_difference_of_shares() -> None:
    degrees = drawn(2.3, 300, 4)
    law = law_of(degrees, 1)
    every = np.arange(1, degrees.max() + 2)
    ours = np.array([(degrees >= value).mean() for value in every])
    assert law.distance == pytest.approx(
        np.abs(ours - special.zeta(law.alpha, every) / special.zeta(law.alpha, 1)).max(), abs=1e-12
    )


def test_distribution_counts_pages_of_every_degree() -> None:
    degrees = degree_distribution(np.array([0, 3, 3, 1, 0]))
    assert (degrees.values.tolist(), degrees.counts.tolist()) == ([0, 1, 3], [2, 1, 2])
    assert (degrees.mean, degrees.largest, degrees.law) == (1.4, 3, None)


@pytest.mark.parametrize("degrees", [[], [0] * 100, [7] * 100, [1] * 48 + [2]])
def test_without_a_tail_there_is_no_law(degrees: list[int]) -> None:
    assert degree_distribution(np.array(degrees, dtype=np.int64)).law is None


def test_no_pages_have_no_degrees() -> None:
    nothing = degree_distribution(np.zeros(0, dtype=np.int64))
    assert (nothing.mean, nothing.largest, nothing.law) == (0.0, 0, None)
