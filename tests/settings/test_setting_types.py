"""The types in which settings are given."""

from minicrawl.settings import SETTINGS
from minicrawl.settings.setting_types import GivenSettings


def test_every_setting_has_a_type_and_nothing_else() -> None:
    assert GivenSettings.__annotations__.keys() == SETTINGS.keys()


def test_a_setting_that_may_be_none_says_so() -> None:
    """Its default is None then."""
    types = {name: kind.__forward_arg__ for name, kind in GivenSettings.__annotations__.items()}
    may_be_none = {name for name, kind in types.items() if "None" in kind.split(" | ")}
    assert may_be_none == {name for name, setting in SETTINGS.items() if setting.default is None}
