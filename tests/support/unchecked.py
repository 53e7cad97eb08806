"""Typed values that nobody checked, for tests of what is made of odd ones, and releases with another content."""

from dataclasses import replace
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel

from carrara.release.reader import Release

Model = TypeVar("Model", bound=BaseModel)


def unchecked(kind: type[Model], table: dict) -> Model:
    """The model of a table that may lack keys and hold anything."""
    fields = kind.model_fields
    values = {key: _of(fields[key].annotation, value) if key in fields else value for key, value in table.items()}
    return kind.model_construct(set(table), **values)


def _of(kind: Any, value: Any) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _of(parts[0], value)
    if origin in (Union, UnionType) and isinstance(value, dict):
        return _of(next(part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)), value)
    if origin is dict and isinstance(value, dict):
        return {key: _of(parts[1], each) for key, each in value.items()}
    if origin is tuple and isinstance(value, list):
        return tuple(_of(parts[0], each) for each in value)
    if isinstance(kind, type) and issubclass(kind, BaseModel) and isinstance(value, dict):
        return unchecked(kind, value)
    return value


def with_content(release: Release, **changes: Any) -> Release:
    """The release with another content in its manifest, which nobody checked."""
    content = release.content.model_copy(update=changes)
    return replace(release, manifest=release.manifest.model_copy(update={"content": content}))
