"""Names and sentences of the demo web."""

from random import Random

from minicrawl.demo.resources import drawn_title, host_names, slug


def test_hosts_have_names_of_their_own_however_many() -> None:
    names = host_names(Random(0), 1000)
    assert len(set(names)) == 1000
    assert all(name.endswith(".test") for name in names)


def test_title_becomes_a_path() -> None:
    assert slug("Old bridge wins a prize") == "old-bridge-wins-a-prize"
    assert drawn_title(Random(1)) == drawn_title(Random(1))
