"""Pages in traps are not asked for."""

from pathlib import Path

from support.intakes import HOME, crawl_all, intake_of, page_of
from support.sites import rows


def test_a_trap_is_no_seed_and_nothing_was_ever_found_there(tmp_path: Path) -> None:
    traps = [HOME + "x" * 1_500 + str(number) for number in range(3)]
    intake = intake_of(tmp_path / "crawl.db", discovery=1.0, traps=False)
    intake.start([HOME], 0.0)
    crawl_all(intake, {HOME: traps} | {url: [] for url in traps}, most=2)
    intake.state.writer.close()
    (read,) = (url for (url,) in rows(tmp_path / "crawl.db", "SELECT url FROM pages WHERE id > 0 AND visited"))
    again = intake_of(tmp_path / "crawl.db", discovery=1.0)
    again.start([f"{traps[0]}/seed"], 0.0)
    found = {url: again.visits.trap(page_of(again, url), url) for url in (HOME, *traps, f"{traps[0]}/seed")}
    assert found == {HOME: None, f"{traps[0]}/seed": None, **dict.fromkeys(traps, "trap-long-path"), read: None}
    again.state.writer.close()
