"""What the server says of itself is valid and true, and no request that is drawn from it breaks the server."""

from __future__ import annotations

import http.client
import json
import random
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import http_requests
from answerable.web import answers, models
from answerable.web.app import ROUTES
from answerable.web.openapi import described, page
from tests.web.conftest import Web
from tests.web.test_table import SAMPLES, STREAMED

SAID = described(ROUTES)


def _parts(value: Any) -> Iterator[Any]:
    yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _parts(one)


def test_it_is_openapi_of_every_route() -> None:
    assert SAID["openapi"].startswith("3.1.")
    operations = [told for methods in SAID["paths"].values() for told in methods.values()]
    assert len(operations) == len(ROUTES) == len({told["operationId"] for told in operations})
    for schema in SAID["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    named = {f"#/components/schemas/{name}" for name in SAID["components"]["schemas"]}
    assert {one["$ref"] for one in _parts(SAID) if isinstance(one, dict) and "$ref" in one} <= named
    for path, methods in SAID["paths"].items():
        within = {part[1:-1] for part in path.split("/") if part.startswith("{")}
        for told in methods.values():
            assert told["summary"] and told["responses"]["200"]["description"]
            of_path = {one["name"] for one in told.get("parameters", ()) if one["in"] == "path"}
            assert of_path == within and all(
                one["required"] for one in told.get("parameters", ()) if one["in"] == "path"
            )


def test_answers_are_what_it_says(web: Web) -> None:
    for one in ROUTES:
        for sample in SAMPLES[one.name]:
            if sample.headers is not STREAMED and not one.changes:
                got = web.ask(one.method, sample.path, sample.body)
                kind = got.headers["content-type"]
                if kind.startswith("text/event-stream"):  # a body asked for it
                    continue
                told = SAID["paths"][one.path.replace(":path", "")][one.method.lower()]["responses"]
                schema = told["200" if got.status == 200 else "default"]["content"][kind]["schema"]
                jsonschema.validate(got.record, {**schema, "components": SAID["components"]})


def test_refusals_are_of_the_kind_it_says(web: Web) -> None:
    for path in ("/v1/ask", "/v1/chat/completions"):
        told = SAID["paths"][path]["post"]["responses"]["default"]["content"]
        assert [*told] == [web.ask("POST", path, {}).headers["content-type"]]


def test_the_server_hands_it_out_with_a_page_that_loads_nothing(web: Web) -> None:
    assert web.ask("GET", "/v1/openapi.json").record == json.loads(json.dumps(SAID))
    shown = web.ask("GET", "/docs").body.decode()
    assert shown == page(ROUTES) and all(one.path in shown for one in ROUTES)
    assert "src=" not in shown and "http://" not in shown and "https://" not in shown and "<script" not in shown


@pytest.mark.parametrize(
    "name", [name for name, one in (vars(models) | vars(answers)).items() if isinstance(one, type)]
)
def test_requests_refuse_what_they_do_not_know(name: str) -> None:
    model = (vars(models) | vars(answers))[name]
    if issubclass(model, models.Sent | answers.Told):
        assert model.model_config["extra"] == "forbid"


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_no_request_breaks_the_server(web: Web, seed: int) -> None:
    """As `benchmarks/http_requests.py` does 5,000 times; nothing is changed here, so that it is quick."""
    one = http_requests.request(SAID, random.Random(seed), changing=False)
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)
    status, body = http_requests.answered(connection, one)
    connection.close()
    assert status not in (0, 500), (one, body)


def test_a_request_that_breaks_it_is_noticed() -> None:
    drawn = [http_requests.request(SAID, random.Random(seed)) for seed in range(400)]
    assert {(one[0], one[1].split("?")[0]) for one in drawn} >= {("GET", "/v1/status"), ("POST", "/v1/ask")}
    asked = [json.loads(one[2]) for one in drawn if one[1] == "/v1/ask" and one[2] and one[2].endswith(b"}")]
    valid = 0
    for body in asked:
        try:
            valid += bool(models.Asking.model_validate_json(json.dumps(body)))
        except ValueError:
            continue
        except Exception:  # a filter that names nobody
            continue
    assert 0 < valid < len(asked), "some keep to the schema, and some do not"
