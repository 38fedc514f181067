"""Answers by class of status and by what they took."""

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.loop.answer_counts import BOUNDS, AnswerCounts

ANSWERS = st.lists(st.tuples(st.integers(100, 599), st.floats(0, 100) | st.sampled_from(BOUNDS)))


@given(ANSWERS)
def test_each_answer_is_counted_once(answers: list[tuple[int, float]]) -> None:
    counts = AnswerCounts()
    for status, seconds in answers:
        counts.add(status, seconds)
    for name, count in counts.statuses().items():
        assert count == sum(str(status).startswith(name[0]) for status, _ in answers) > 0
    assert sum(counts.statuses().values()) == sum(counts.latencies().values()) == len(answers)
    within = 0
    for bound, count in counts.latencies().items():
        within += count
        assert within == sum(seconds <= float(bound) for _, seconds in answers)
    assert counts.seconds == sum(seconds for _, seconds in answers)
