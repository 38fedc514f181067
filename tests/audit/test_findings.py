"""Rules, and the order of their findings."""

from minicrawl.audit.findings import Fault, Need, Rule, Severity, rule


def test_rule_knows_its_subject_and_weighs_importance_by_its_severity() -> None:
    @rule("odds", "page-odd", Severity.WARNING, why="It is odd.", how="Even it.", needs=Need.FACTS)
    def page_odd(_: object) -> list[Fault]:
        return [Fault(1)]

    assert isinstance(page_odd, Rule)
    assert (page_odd.name, page_odd.subject, page_odd.needs) == ("page-odd", "odds", Need.FACTS)
    assert page_odd.lost(0.5) == 0.05
