"""Rules on structured data: what is planted is found, and nothing else."""

import pytest
from support.faulty_site import found, planted

from minicrawl.audit import structured
from minicrawl.store.reader import Store


@pytest.mark.parametrize("rule", planted(structured))
def test_planted_faults_are_found_and_no_others(faulty: Store, rule: str) -> None:
    assert found(faulty, rule) == planted(structured)[rule]
