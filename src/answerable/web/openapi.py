"""What the table of routes says of itself: OpenAPI 3.1, and a plain page without an asset of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from inspect import getdoc
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from answerable.remote.wire import API
from answerable.web.answers import Problem
from answerable.web.table import Endpoint

_REF = "#/components/schemas/{model}"
_PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")
_FILE = {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1}


def described(table: Sequence[Endpoint]) -> dict[str, Any]:
    """The OpenAPI 3.1 document of a table."""
    taken: list[tuple[type[BaseModel], JsonSchemaMode]] = [(one.takes, "validation") for one in table]
    told: list[tuple[type[BaseModel], JsonSchemaMode]] = [(one.returns, "serialization") for one in table]
    told.append((Problem, "serialization"))
    refs, schemas = models_json_schema([*dict.fromkeys(taken + told)], by_alias=True, ref_template=_REF)
    paths: dict[str, dict[str, Any]] = {}
    for one in table:
        path = _PARAMETER.sub(r"{\1}", one.path)
        paths.setdefault(path, {})[one.method.lower()] = _operation(one, refs, schemas["$defs"])
    return {
        "openapi": "3.1.0",
        "info": {"title": "Answerable", "version": ".".join(map(str, API)), "description": "A workspace, asked."},
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _operation(one: Endpoint, refs: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    said = getdoc(one.handle) or ""
    answer: dict[str, Any] = {"application/json": {"schema": refs[one.returns, "serialization"]}}
    if one.streams or one.manner:
        answer["text/event-stream"] = {"schema": {"type": "string"}}
    problem = {"application/problem+json": {"schema": refs[Problem, "serialization"]}}
    refusal = {"application/json": {"schema": {"type": "object"}}} if one.manner else problem
    made: dict[str, Any] = {
        "operationId": one.handle.__name__,
        "summary": said.partition(".")[0],
        "description": said,
        "responses": {
            "200": {"description": (one.returns.__doc__ or "").strip(), "content": answer},
            "default": {"description": "A refusal, with the way out.", "content": refusal},
        },
        **({"security": []} if one.open else {}),
    }
    taken = refs[one.takes, "validation"]
    sent: dict[str, Any] = schemas[taken["$ref"].rpartition("/")[2]]
    if one.uploads:
        form = {**sent, "properties": {**sent["properties"], "file": _FILE}, "required": [*sent["required"], "file"]}
        made["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": form}}}
    elif one.method == "POST":
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": taken}}}
    elif properties := sent.get("properties"):
        within = set(_PARAMETER.findall(one.path))
        made["parameters"] = [
            {
                "name": name,
                "in": "path" if name in within else "query",
                "required": name in sent.get("required", ()),
                "schema": schema,
            }
            for name, schema in properties.items()
        ]
    return made


def page(table: Sequence[Endpoint]) -> str:
    """The routes with what they do and take, as HTML that loads nothing."""
    rows = "".join(_row(one) for one in table)
    style = "body{font:1rem/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Answerable: routes</title><style>{style}</style>'
        '<meta name="viewport" content="width=device-width"><h1>Routes</h1><p>Whole descriptions for programs: '
        f'<a href="/v1/openapi.json">/v1/openapi.json</a>.</p>{rows}</html>'
    )


def _row(one: Endpoint) -> str:
    takes = ", ".join(f"<code>{escape(name)}</code>" for name in one.takes.model_fields) or "nothing"
    who = " For owners." if one.owner else " Needs no token." if one.open else ""
    streams = f" Streams until <code>{escape(one.streams)}</code>." if one.streams else ""
    said = escape(getdoc(one.handle) or "")
    return f"<h2><code>{escape(one.name)}</code></h2><p>{said}{who}{streams}</p><p>Takes {takes}.</p>"
