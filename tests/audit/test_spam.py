"""Pages that deceive: told where they were looked for, and nowhere else."""

from pathlib import Path

from support.cloakers import CLOAKED, Cloakers, crawl_cloakers
from support.faulty_site import found, planted

from minicrawl.audit import spam
from minicrawl.audit.auditing import RULES, audited
from minicrawl.store.reader import Store, open_store


def test_planted_faults_are_found_and_no_others(faulty: Store) -> None:
    assert {rule: found(faulty, rule) for rule in planted(spam)} == planted(spam)


def test_cloaking_that_nobody_looked_for_is_not_checked(tmp_path: Path) -> None:
    web = Cloakers({"a.test": (CLOAKED["other text"], 3, 1.0)})
    crawl_cloakers(web, tmp_path / "crawl.db", check_cloaking=False)
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        audit = audited(store, {"cloaked": RULES["cloaked"]})
    assert audit.findings == []
    assert "'minicrawl crawl --check-cloaking' on the same store" in audit.not_checked["cloaked"]
    crawl_cloakers(web, tmp_path / "crawl.db")
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        audit = audited(store, {"cloaked": RULES["cloaked"]})
    assert (len(audit.findings), audit.not_checked) == (2, {})
    assert all("a browser gets the page" in finding.detail for finding in audit.findings)
