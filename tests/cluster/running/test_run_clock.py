"""The time of a run, pauses left out."""

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.cluster.running.run_clock import RunClock


@given(st.lists(st.tuples(st.sampled_from(["pause", "resume", "wait"]), st.integers(0, 100))))
def test_only_the_time_that_is_not_paused_counts(steps: list[tuple[str, int]]) -> None:
    now, counted, is_paused = 50, 0, False
    clock = RunClock(lambda: float(now))
    now = 60
    clock.begin()
    for what, seconds in steps:
        if what == "pause":
            clock.pause()
            is_paused = True
        elif what == "resume":
            clock.resume()
            is_paused = False
        now += seconds
        counted += 0 if is_paused else seconds
        assert (clock.seconds, clock.is_paused) == (counted, is_paused)
