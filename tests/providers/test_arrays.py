from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.providers.arrays import map_arrays, write_arrays

ARRAYS = {
    "bytes": np.arange(7, dtype=np.uint8),
    "floats": np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4),
    "nothing": np.zeros((0, 5), dtype=np.float32),
    "number": np.array(2.5),
    "turned": np.arange(6, dtype=np.uint32).reshape(2, 3).T,
}


def test_arrays_come_back_with_type_shape_and_values(tmp_path: Path):
    write_arrays(tmp_path / "new" / "a.bin", ARRAYS)
    mapped = map_arrays(tmp_path / "new" / "a.bin")
    assert set(mapped) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert mapped[name].dtype == array.dtype
        np.testing.assert_array_equal(mapped[name], array)
        assert not mapped[name].size or not mapped[name].flags.writeable
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a.bin"]


def test_a_mapped_file_may_be_replaced_while_it_is_read(tmp_path: Path):
    path = tmp_path / "a.bin"
    write_arrays(path, {"x": np.ones(3)})
    before = map_arrays(path)
    write_arrays(path, {"x": np.zeros(3)})
    after = map_arrays(path)
    assert (before["x"].tolist(), after["x"].tolist()) == ([1, 1, 1], [0, 0, 0])


@pytest.mark.parametrize("kept", [0, 1, 8, 15, 16, 100, 400, -1])
def test_a_file_cut_short_is_no_file(tmp_path: Path, kept: int):
    path = tmp_path / "a.bin"
    write_arrays(path, ARRAYS)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ValueError):
        map_arrays(path)


@given(st.binary(max_size=200), st.sampled_from([b"", b"[]", b'{"x": 24}', b'{"x": {"shape": 1}}']))
def test_foreign_bytes_are_no_file(tmp_path_factory: pytest.TempPathFactory, tail: bytes, head):
    path = tmp_path_factory.mktemp("foreign") / "a.bin"
    path.write_bytes(len(head).to_bytes(8, "little") + head + tail)
    with pytest.raises(ValueError):
        map_arrays(path)


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path):
    (tmp_path / "a.bin").mkdir()
    with pytest.raises(OSError):
        write_arrays(tmp_path / "a.bin", ARRAYS)
    assert [path.name for path in tmp_path.iterdir()] == ["a.bin"]
