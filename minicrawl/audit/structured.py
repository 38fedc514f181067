"""Structured data."""

from collections.abc import Iterator

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule


@rule(
    "structured-data-invalid",
    Severity.WARNING,
    why="JSON-LD of the page is no JSON, so search engines read nothing of it.",
    how="Correct its syntax: a JSON parser names the place.",
    needs=Need.FACTS,
)
def structured_data_invalid(crawled: Crawled) -> Iterator[Fault]:
    number = crawled.facts.bad_json_ld
    is_bad = crawled.has_facts & (number > 0)
    return crawled.faults_by_host(is_bad, crawled.has_facts, lambda page: f"JSON-LD scripts: {number[page]}")
