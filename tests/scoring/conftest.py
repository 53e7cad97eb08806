"""What all tests of scoring share."""

import gc

import pytest


@pytest.fixture(autouse=True)
def own_heap():
    """A test that times itself does not pay for the collector's walks over what a thousand tests before it left."""
    gc.freeze()
    yield
    gc.unfreeze()
