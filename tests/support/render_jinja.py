#!/usr/bin/env python3
"""Renders templates with the Jinja of Python, set up as chat templates are rendered by the transformers library.

Reads {"cases": [{"source": ..., "variables": {...}}, ...]} from standard input and writes a list with one object for
each case: {"output": ...} or {"error": ...}. Exits with 77 where jinja2 is missing.
"""

import datetime
import json
import sys

try:
    import jinja2
    import jinja2.ext
    import jinja2.sandbox
except ImportError:
    sys.exit(77)

NOW = datetime.datetime(2024, 2, 3, 4, 5, 6)


class Generation(jinja2.ext.Extension):
    """{% generation %}: a body with a scope of its own."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def make_environment():
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = NOW.strftime
    return environment


def render(environment, compiled, case):
    source = case["source"]
    try:
        if source not in compiled:
            compiled[source] = environment.from_string(source)
        return {"output": compiled[source].render(**case["variables"])}
    except Exception as error:  # whatever a template can raise is a result here
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    environment = make_environment()
    cases = json.load(sys.stdin)["cases"]
    compiled = {}
    json.dump([render(environment, compiled, case) for case in cases], sys.stdout)


main()
