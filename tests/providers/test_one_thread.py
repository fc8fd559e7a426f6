"""Matrix products on one thread: set while somebody is inside, restored afterwards."""

from __future__ import annotations

import pytest

from lorebank.providers import one_thread as module
from lorebank.providers.one_thread import one_thread

setting = module._openblas()
needs_openblas = pytest.mark.skipif(setting is None, reason="numpy brings no OpenBLAS here")


@needs_openblas
def test_one_thread_inside_and_the_number_before_it_afterwards() -> None:
    assert setting is not None
    read, write = setting
    before = read()
    write(2)
    try:
        with one_thread():
            with one_thread():
                pass
            assert read() == 1
        assert read() == 2
    finally:
        write(before)


@needs_openblas
def test_the_number_is_restored_when_the_body_raises() -> None:
    assert setting is not None
    read, _ = setting
    before = read()
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert read() == before
