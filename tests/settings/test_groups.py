"""Each setting stands in one group, with a meaning that helps."""

from dataclasses import fields

from table import each

from minicrawl.settings import GROUPS, SETTINGS, CrawlSettings
from minicrawl.settings.setting import settings_of


def test_every_setting_is_in_one_group() -> None:
    names = [name for group in GROUPS for name in settings_of(group)]
    assert names == list(dict.fromkeys(names)) == list(SETTINGS)
    assert names == [field.name for field in fields(CrawlSettings)]


def test_groups_say_what_they_are_about() -> None:
    assert all(group.__doc__ and group.__doc__.endswith(".") for group in GROUPS)


@each("name", SETTINGS)
def test_a_setting_has_a_meaning_and_a_default_that_is_allowed(name: str) -> None:
    setting = SETTINGS[name]
    assert setting.meaning.endswith(".")
    setting.checked(setting.of(setting.default))
    assert setting.shown is None or setting.of(setting.shown) == setting.default


def test_a_part_may_ask_for_its_group_alone() -> None:
    settings = CrawlSettings(delay=2)
    assert all(isinstance(settings, group) for group in GROUPS)
