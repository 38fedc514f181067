"""Grades of sites by importance, as librarians give them who choose what of a web is to be kept.

The comparison is that of Abiteboul, Cobena, Masanes and Sedrati, A First Experience in Archiving the French Web (ECDL
2002): what several librarians say of a site is rounded to one grade, and importance is graded so that as many sites
have each grade as there. What counts is how often a librarian, or importance, gives just the grade of reference.

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
    """What librarians say of sites together; 0 where nobody has graded. votes: (sites, librarians), NaN for none."""
    given = ~np.isnan(votes)
    count = given.sum(axis=1)
    total = np.where(given, votes, 0.0).sum(axis=1)
    grades: IntArray = np.floor(total / np.maximum(count, 1) + 0.5).astype(np.int64)
    return grades


def in_equal_parts(importance: FloatArray, grades: int) -> IntArray:
    """Grades of which each is that of as many sites as any other, give or take one. Of equals the first is lower."""
    grade = np.empty(len(importance), dtype=np.int64)
    grade[np.argsort(importance, kind="stable")] = 1 + np.arange(len(importance)) * grades // max(len(importance), 1)
    return grade


def as_distributed(importance: FloatArray, reference: IntArray, grades: int) -> IntArray:
    """The grade of each site by importance, with cuts that follow from all the others (leave one out)."""
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
    """The share of the graded sites whose grade is that of reference; NaN where none is graded. given: NaN for none."""
    graded = ~np.isnan(given) & (reference > 0)
    return float(np.mean(given[graded] == reference[graded])) if graded.any() else float("nan")


def _cuts(logs: FloatArray, counts: IntArray) -> FloatArray:
    """Between which logarithms of importance, in rising order, so many sites are below."""
    bounded = np.concatenate(([-np.inf], logs, [np.inf]))
    lower, upper = bounded[counts], bounded[counts + 1]
    with np.errstate(invalid="ignore"):
        between = (lower + upper) / 2
    return np.where(np.isneginf(lower), -np.inf, np.where(np.isposinf(upper), np.inf, between))
