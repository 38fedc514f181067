"""Virtual visits: when they are due, whom they concern, and what they come to in the end."""

from pathlib import Path

from support.intakes import HOME, crawl_all, intake_of

STAR = {HOME: [f"{HOME}{leaf}" for leaf in range(12)]} | {f"{HOME}{leaf}": [HOME] for leaf in range(12)}


def test_they_are_due_when_the_crawl_has_grown_by_a_tenth(tmp_path: Path) -> None:
    intake = intake_of(tmp_path / "crawl.db", discovery=1.0)
    intake.start([HOME], 0.0)
    crawl_all(intake, STAR)
    ranking, visited = intake.ranking, intake.state.accounts.turns
    assert visited == 13
    assert ranking.is_due
    ranking.settle()
    turns = 0
    while not ranking.is_due:
        ranking.note_turn(0)  # a page without links has nothing to pass on
        assert not ranking.is_due
        ranking.note_turn(3)
        turns += 1
    assert turns == 2  # 13 / 10 and more
    intake.state.writer.close()
