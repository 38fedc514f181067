"""Settings of the test run itself."""

import gc


def pytest_collection_finish() -> None:
    """Thousands of tests are objects that stay: not to look through them again and again saves a part of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
