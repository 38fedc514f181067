"""What is known of one pattern, and that the store keeps all of it."""

from minicrawl.crawler.admission.traps.pattern_findings import DUPLICATES, JUDGED, Findings


def parsed(*, repeated: int, fruitful: int, pages: int = JUDGED) -> Findings:
    findings = Findings()
    for number in range(pages):
        findings.add_page(None, is_repeated=number >= pages - repeated, is_fruitful=number < fruitful)
    return findings


def test_pages_that_mostly_repeat_are_repetitive() -> None:
    assert parsed(repeated=DUPLICATES, fruitful=0).is_repetitive
    assert not parsed(repeated=DUPLICATES - 1, fruitful=0).is_repetitive
    assert not parsed(repeated=JUDGED, fruitful=0, pages=5 * JUDGED).is_repetitive  # only of late


def test_pages_lead_nowhere_if_fewer_than_a_quarter_lead_on() -> None:
    assert parsed(repeated=0, fruitful=2).leads_nowhere
    assert not parsed(repeated=0, fruitful=3).leads_nowhere
    assert not parsed(repeated=0, fruitful=0, pages=JUDGED // 2 - 1).leads_nowhere


def test_known_values_in_a_new_order_are_a_combination() -> None:
    findings = Findings()
    findings.add_parameters("http://a.test/?a=1&b=2", is_own=False)
    findings.add_parameters("http://a.test/?b=2&a=1", is_own=True)
    findings.add_parameters("http://a.test/?a=1&b=3", is_own=True)
    assert findings.combined == 1
    assert findings.values == {"a=1", "b=2", "b=3"}


def test_findings_come_back_from_their_row() -> None:
    findings = parsed(repeated=3, fruitful=2)
    findings.add_values({"2024-01", "2024-02"})
    findings.add_values({"2024-02", "2024-03"})
    findings.add_numbered("http://a.test/2", "http://a.test/1")
    findings.dropped, findings.trap = 4, "trap-values"
    row = findings.row("p")
    again = Findings.of(row)
    assert again.row("p") == row
    assert again.values == {"2024-01", "2024-02", "2024-03"}
    assert Findings.of(Findings().row("q")).row("q") == Findings().row("q")
