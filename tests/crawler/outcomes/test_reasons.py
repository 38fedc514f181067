"""What is said of a page that was not fetched for the sake of its connection."""

import pytest

from minicrawl.crawler.admission.scope import Scope
from minicrawl.crawler.net.tls import REASONS
from minicrawl.crawler.outcomes.reasons import why_so
from minicrawl.settings import CrawlSettings

SCOPE = Scope.of(CrawlSettings(), ())


@pytest.mark.parametrize(
    ("reason", "option"),
    [("tls-authority", "--ca-file"), ("private-address", "--allow-private"), ("dns", "--connect-to")],
)
def test_the_option_that_helps_is_named(reason: str, option: str) -> None:
    assert option in (why_so(reason, 1, None, SCOPE, None) or "")


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_what_was_wrong_with_tls_is_told(reason: str) -> None:
    assert why_so(reason, 1, None, SCOPE, None)
