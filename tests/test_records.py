"""`Record` and `Mutable` mean what the standard `dataclass` means."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from datetime import date
from enum import StrEnum
from types import UnionType
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

import pytest
from pydantic import TypeAdapter

import lorebank
from lorebank import records


class Point(records.Record, order=True):
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()

    @property
    def sum(self) -> int:
        return self.x + self.y


class Basket(records.Mutable):
    owner: str
    items: list[str] = dataclasses.field(default_factory=list)
    size: int = dataclasses.field(init=False)
    note: str | None = dataclasses.field(init=False, default=None)

    def __post_init__(self) -> None:
        self.size = len(self.items)


class ByName(records.Record):
    name: str
    note: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByName) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def test_a_frozen_record_is_a_value() -> None:
    assert Point(1) == Point(1, 2) != Point(2)
    assert hash(Point(1)) == hash(Point(1))
    assert Point(1) < Point(1, 3) < Point(2)
    assert repr(Point(1)) == "Point(x=1, y=2, tags=())"
    assert Point(3).sum == 5
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1).x = 4  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del Point(1).x
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        Point()  # type: ignore[call-arg]


class NamedPoint(Point):
    """One with methods and no fields of its own."""


def test_a_record_keeps_the_class_that_it_was_made_of() -> None:
    for cls in (Point, NamedPoint, Point):
        with pytest.raises(dataclasses.FrozenInstanceError):
            cls(1).x = 4  # type: ignore[misc]
        assert type(cls(1)) is cls


T = TypeVar("T")


class Labelled(records.Record, Generic[T]):
    label: str
    value: T


def test_a_record_of_any_type_is_filled_as_others_are() -> None:
    assert Labelled("x", 3) == Labelled[int]("x", 3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Labelled("x", 3).label = "y"  # type: ignore[misc]


def test_the_tools_of_the_standard_module_work() -> None:
    assert dataclasses.is_dataclass(Point)
    assert [field.name for field in dataclasses.fields(Point)] == ["x", "y", "tags"]
    assert dataclasses.replace(Point(1), y=9) == Point(1, 9)
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 2, "tags": ()}
    assert copy.copy(Point(1)) == pickle.loads(pickle.dumps(Point(1))) == Point(1)
    match Point(1, 5):
        case Point(x, y):
            assert (x, y) == (1, 5)


def test_a_record_with_fields_is_not_extended_by_more() -> None:
    with pytest.raises(TypeError, match="Point3 cannot add fields to those of Point"):

        class Point3(Point):
            z: int = 0


def test_a_mutable_record_has_factories_and_a_post_init_and_no_hash() -> None:
    one, other = Basket("Ana", ["fig"]), Basket("Ana")
    assert (one.size, other.size, one.note) == (1, 0, None)
    other.items.append("fig")
    assert one.items == other.items and one != other
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    with pytest.raises(AttributeError):
        one.colour = "red"  # type: ignore[attr-defined]


def test_methods_written_by_hand_are_kept() -> None:
    assert ByName("a", "x") == ByName("a", "y")
    assert len({ByName("a", "x"), ByName("a", "y")}) == 1


def test_a_class_costs_a_fraction_of_a_standard_one() -> None:
    """Counted in compiled code, not in time: nothing is compiled until a method is called."""
    program = (
        "import builtins, dataclasses\n"
        "from lorebank.records import Record\n"
        "calls, true_exec = [], builtins.exec\n"
        "builtins.exec = lambda *a: (calls.append(a), true_exec(*a))\n"
        "class A(Record):\n    x: int\n"
        "before = len(calls); A(1) == A(1); print(before, len(calls) > 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["0", "True"], done.stderr


def sample(form: Any, *, full: bool) -> Any:
    """A value of a type, with all that it may hold or with as little as it must."""
    origin, inner = get_origin(form), get_args(form)
    if origin is UnionType:
        return sample(inner[0], full=full) if full else None
    if origin is tuple and inner[1] is ...:
        return (sample(inner[0], full=False), sample(inner[0], full=True)) if full else ()
    if origin is tuple:
        return tuple(sample(each, full=full) for each in inner)
    if origin is not None:
        return {"key": sample(inner[1], full=True)} if full else {}
    if form is Any:
        return "anything"
    if issubclass(form, records.Record):
        types = get_type_hints(form)
        given = [f for f in dataclasses.fields(form) if full or f.default is f.default_factory]
        return form(**{field.name: sample(types[field.name], full=full) for field in given})
    if issubclass(form, StrEnum):
        return list(form)[-1]
    if issubclass(form, date):
        return form.fromisoformat("2026-02-01")
    return form({str: "a word", float: 0.12345, int: 3, bool: 1}[form])


ANSWERS = [
    form
    for name in dir(lorebank)
    if isinstance(form := getattr(lorebank, name), type) and issubclass(form, records.Record)
]


@pytest.mark.parametrize("full", [True, False], ids=["full", "bare"])
@pytest.mark.parametrize("form", ANSWERS, ids=lambda form: form.__name__)
def test_each_public_record_is_read_back(form: type[records.Record], full: bool) -> None:
    record = sample(form, full=full)
    written = record.to_dict()
    assert form.from_dict(written).to_dict() == written
    model = TypeAdapter(form)
    assert form.from_dict(model.dump_python(record, mode="json")) == record
    assert form.from_dict(dataclasses.asdict(record)) == record
    assert model.validate_json(model.dump_json(record)) == record
