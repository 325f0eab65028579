"""What all adapters hold to: a framework is asked for only where it is used, and a missing one is told in one line."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from searchlog.adapters.caller import Caller, needed, schema
from searchlog.desk import Progress
from searchlog.errors import UsageError
from searchlog.tool.definition import TOOLS
from tests.adapters import SEARCH, kept, tooled

FRAMEWORKS = {
    "pydantic-ai": "pydantic_ai",
    "openai-agents": "agents",
    "langchain": "langchain_core",
    "llama-index": "llama_index.core",
    "smolagents": "smolagents",
}
"""What each extra gives, by its name."""
ROOT = Path(__file__).parent.parent


def test_every_framework_has_a_file_and_an_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    files = {path.stem for path in (ROOT / "searchlog" / "adapters").glob("*.py")} - {"__init__", "caller"}
    assert files == {extra.replace("-", "_") for extra in FRAMEWORKS}
    assert FRAMEWORKS.keys() <= extras.keys()


@pytest.mark.parametrize("extra", FRAMEWORKS)
def test_missing_framework_is_told_in_one_line(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = f"searchlog.adapters.{extra.replace('-', '_')}"
    monkeypatch.delitem(sys.modules, module, raising=False)
    for name in [one for one in sys.modules if one.split(".")[0] == FRAMEWORKS[extra].split(".", maxsplit=1)[0]]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, FRAMEWORKS[extra].split(".", maxsplit=1)[0], None)
    with pytest.raises(UsageError, match=rf"pip install 'searchlog\[{extra}\]'") as raised:
        import_module(module)
    assert "\n" not in str(raised.value)
    assert raised.value.fields["extra"] == extra


def test_only_a_failed_import_is_taken_for_a_missing_framework() -> None:
    with pytest.raises(ZeroDivisionError), needed("langchain"):
        raise ZeroDivisionError


def test_tools_and_what_adapters_share_import_no_framework() -> None:
    tops = sorted({name.split(".")[0] for name in FRAMEWORKS.values()})
    code = "import sys, searchlog.tool.face, searchlog.adapters.caller, searchlog.cli\n"
    code += f"print(*[name for name in {tops!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_schema_is_a_copy_of_the_definition() -> None:
    for one in TOOLS.values():
        made = schema(one)
        assert made == one.parameters
        made["properties"].clear()
        assert one.parameters["properties"]


def test_call_from_an_event_loop_tells_the_listener_of_the_tools() -> None:
    heard: list[Progress] = []
    with tooled(progress=heard.append) as (_, tool):
        caller = Caller(tool, "own", "no-such-distribution")
        name, arguments = SEARCH
        result = asyncio.run(caller.acall(name, arguments, "c1", model="m"))
        assert {"ask", "read"} <= {progress.stage for progress in heard}
        (one,) = kept(tool.session)
        assert one.content == result.text.encode("utf-8")
        assert (one.call.api, one.call.call_id) == ("own", "c1")
        assert one.call.client == {"name": "no-such-distribution", "model": "m"}


def test_what_a_framework_makes_of_the_text_is_what_is_stored() -> None:
    def shout(call: Any, result: Any) -> str:
        return f"{call.name}: {result.text.upper()}"

    with tooled() as (_, tool):
        result = Caller(tool, "own", "searchlog", shout).call("find_in_page", "{}")
        (one,) = kept(tool.session)
        assert one.content.decode("utf-8").startswith('"find_in_page: PAGE IS MISSING.')
        assert (one.result.form, result.error) == ("own", "bad-arguments")
