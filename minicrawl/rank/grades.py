"""Grades of sites by importance, comparable to those of librarians who select sites for a web archive.

The comparison is that of Abiteboul, Cobena, Masanes and Sedrati, A First Experience in Archiving the French Web (ECDL
2002): the grades of several librarians are averaged and rounded to one, and importance is cut so that each grade has
as many sites as there. The score of a librarian, or of importance, is the share of grades equal to the reference.

n sites, G grades, 1 the least.
reference_i = floor(mean of the librarians' grades of site i + 1/2)
c_g         = number of sites whose reference is at most g
cut_g       = geometric mean of the c_g-th and the next importance, from below
grade_i     = 1 + number of cuts below the importance of site i
"""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def reference(votes: FloatArray) -> IntArray:
    """Reference grades, rounded means over librarians; 0 if ungraded. votes: (sites, librarians), NaN for none."""
    given = ~np.isnan(votes)
    count = given.sum(axis=1)
    total = np.where(given, votes, 0.0).sum(axis=1)
    grades: IntArray = np.floor(total / np.maximum(count, 1) + 0.5).astype(np.int64)
    return grades


def in_equal_parts(importance: FloatArray, grades: int) -> IntArray:
    """Grades given to equally many sites each, give or take one. Of ties, the first gets the lower grade."""
    grade = np.empty(len(importance), dtype=np.int64)
    grade[np.argsort(importance, kind="stable")] = 1 + np.arange(len(importance)) * grades // max(len(importance), 1)
    return grade


def as_distributed(importance: FloatArray, reference: IntArray, grades: int) -> IntArray:
    """The grade of each site by importance, with cuts computed from all the others (leave one out)."""
    order = np.argsort(importance, kind="stable")
    logs = np.log(np.maximum(importance[order], np.finfo(np.float64).tiny))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    below = np.array([np.count_nonzero(reference <= grade) for grade in range(1, grades)])
    found = np.empty(len(importance), dtype=np.int64)
    for site in range(len(importance)):
        others = np.delete(logs, place[site])
        counts = below - (reference[site] <= np.arange(1, grades))
        found[site] = 1 + np.count_nonzero(_cuts(others, counts) < logs[place[site]])
    return found


def agreement(given: FloatArray, reference: IntArray) -> float:
    """Share of the graded sites whose grade equals the reference; NaN without graded sites. given: NaN for none."""
    graded = ~np.isnan(given) & (reference > 0)
    return float(np.mean(given[graded] == reference[graded])) if graded.any() else float("nan")


def _cuts(logs: FloatArray, counts: IntArray) -> FloatArray:
    """Cuts between logarithms of importance, in rising order, that leave the given counts below."""
    bounded = np.concatenate(([-np.inf], logs, [np.inf]))
    lower, upper = bounded[counts], bounded[counts + 1]
    with np.errstate(invalid="ignore"):
        between = (lower + upper) / 2
    return np.where(np.isneginf(lower), -np.inf, np.where(np.isposinf(upper), np.inf, between))
