"""What can go wrong, and with which exit code a command ends."""

from minicrawl.errors import ConfigError, FetchError, MinicrawlError, NothingFetchedError, SeedError, StoreError


def test_exit_codes_tell_what_went_wrong() -> None:
    kinds = (NothingFetchedError, ConfigError, SeedError, StoreError)
    assert [kind.exit_code for kind in kinds] == [1, 2, 2, 3]
    assert all(issubclass(kind, MinicrawlError) for kind in kinds)


def test_failed_request_carries_its_reason() -> None:
    assert (FetchError("dns").reason, str(FetchError("dns"))) == ("dns", "dns")
    assert (FetchError("dns", "no such name").reason, str(FetchError("dns", "no such name"))) == ("dns", "no such name")
