"""What is known of one setting beside its value."""

from dataclasses import dataclass

import pytest

from minicrawl.errors import SettingError
from minicrawl.settings.setting import setting, settings_of
from minicrawl.settings.values import at_least, whole


@dataclass(frozen=True)
class Some:
    most: int | None = setting(None, whole, "At most that many.", check=at_least(1), metavar="N")
    least: int = setting(3, whole, "At least that many.", shown="three")
    computed: int = 0


def test_settings_of_a_group_are_its_fields_with_a_meaning() -> None:
    found = settings_of(Some)
    assert list(found) == ["most", "least"]
    assert (found["least"].default, found["least"].meaning, found["least"].shown) == (3, "At least that many.", "three")


def test_none_is_taken_only_where_it_is_the_default() -> None:
    found = settings_of(Some)
    assert found["most"].of(None) is None
    found["most"].checked(None)
    with pytest.raises(SettingError, match="--least is a number, not None"):
        found["least"].of(None)


def test_a_value_is_read_and_then_checked() -> None:
    most = settings_of(Some)["most"]
    assert most.of("0") == 0
    with pytest.raises(SettingError, match="--most must be at least 1, not 0"):
        most.checked(0)
