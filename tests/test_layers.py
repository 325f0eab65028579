"""The house: which room may import which, which library lives where, and which modules are pure.

Reads the imports of every module with `ast`, those under TYPE_CHECKING and inside functions too, and those by
`import_module` with a plain name. Imports run one way: what is below in LEVELS may use what is above it, never the
other way round. A new room is added to the tables on purpose.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "searchlog"

LEVELS: Sequence[Sequence[str]] = [
    ("secrecy",),
    ("shape",),
    ("keyring",),
    ("errors",),
    ("checks", "digest", "canon", "clock", "tokens"),
    ("spoofing", "wording"),
    ("log",),
    ("storage", "signing"),
    ("capture",),
    ("search",),
    ("extract", "providing"),
    ("evidence", "suspect"),
    ("models",),
    ("records",),
    ("ledger", "recording"),
    ("stored", "view", "mementos"),
    ("drift", "answer"),
    ("verify", "compare"),
    ("container",),
    ("webarchive", "redaction"),
    ("snapshot",),
    ("sharing",),
    ("flow",),
    ("reparse",),
    ("replay",),
    ("desk",),
    ("searching", "saving"),
    ("importing", "exporting"),
    ("recheck",),
    ("session", "testing"),
    ("tool",),
    ("adapters",),
    ("archive", "site_server", "checkup"),
    ("__init__",),
    ("site", "foreign_captures", "shelf", "hooks", "mcp"),
    ("demo",),
    ("ui",),
    ("cli",),
    ("__main__",),
]
"""A room may import rooms of the lines above its own, and nothing of its own line but itself."""

HOMES: Mapping[str, Sequence[str]] = {
    "httpx": ["capture/"],
    "httpcore": ["capture/"],
    "certifi": ["capture/"],
    "h11": ["capture/"],
    "diskcache": ["capture/cache.py"],
    "protego": ["capture/robots.py"],
    "trafilatura": ["extract/"],
    "htmldate": ["extract/"],
    "lxml": ["extract/"],
    "pypdfium2": ["extract/"],
    # a provider's answer can be HTML
    "selectolax": ["extract/", "search/providers/", "search/answers/"],
    # the cache only names the errors that diskcache lets out; the doctor only asks for the version
    "sqlite3": ["log/", "search/textindex.py", "capture/cache.py", "flow/standing.py", "cli/doctor.py"],
    "model2vec": ["models/static.py"],
    "sentence_transformers": ["models/encoders.py"],
    "torch": ["models/encoders.py"],
    "huggingface_hub": ["models/load.py"],
    "cryptography": ["signing.py", "log/token.py"],
    "rfc3161_client": ["log/token.py"],
    "mcp": ["mcp/"],
    "mcp_types": ["mcp/"],
    "anyio": ["mcp/"],
    "starlette": ["mcp/"],
    "uvicorn": ["mcp/http.py"],
    "pydantic_ai": ["adapters/pydantic_ai.py"],
    "agents": ["adapters/openai_agents.py"],
    "langchain_core": ["adapters/langchain.py"],
    "llama_index": ["adapters/llama_index.py"],
    "smolagents": ["adapters/smolagents.py"],
    "rich": ["cli/"],
    "click": ["cli/"],
}
"""Where a library may be imported: a folder or a file of the package."""

PURE = [
    "secrecy.py",
    "shape.py",
    "errors.py",
    "checks.py",
    "providing.py",
    "canon.py",
    "digest.py",
    "tokens.py",
    "spoofing/",
    "wording/",
    "drift/",
    "answer/",
    "ui/",
    "log/tree.py",
    "log/envelope.py",
    "log/checkpoint.py",
    "log/ed25519.py",
    "log/note.py",
    "log/proof.py",
    "log/token.py",
    "log/store/check.py",
    "capture/credentials.py",
    "capture/exchange.py",
    "capture/guard.py",
    "capture/redact.py",
    "capture/message.py",
    "search/login.py",
    "search/query.py",
    "search/catalogue.py",
    "search/service.py",
    "search/run.py",
    "search/cooldown.py",
    "search/dates.py",
    "search/extractor.py",
    "search/fuse.py",
    "search/filters.py",
    "search/decision.py",
    "extract/conversion.py",
    "flow/settings.py",
    "evidence/",
    "suspect/",
    "recording.py",
    "view.py",
    "compare/",
    "container/form.py",
    "container/directory.py",
    "redaction/",
    "webarchive/cdxj.py",
    "webarchive/surt.py",
    "snapshot/blocks.py",
    "snapshot/documents.py",
    "snapshot/layout.py",
    "snapshot/logfile.py",
    "snapshot/plan.py",
    "snapshot/scope.py",
    "snapshot/series.py",
    "snapshot/warc.py",
    "hooks/agents.py",
    "hooks/claude_code.py",
    "hooks/codex.py",
    "hooks/config.py",
    "hooks/event.py",
    "hooks/mcp_tools.py",
    "hooks/shapes.py",
    "mcp/chatgpt.py",
    "mcp/forms.py",
    "mcp/gate.py",
    "mcp/mending.py",
    "mementos/links.py",
    "mementos/memento.py",
    "mementos/served.py",
    "mementos/source.py",
    "mementos/timemap.py",
    "log/cosignature.py",
    "tool/apis/",
    "tool/arguments.py",
    "tool/definition.py",
    "tool/result.py",
    "tool/said.py",
    "tool/shown.py",
    "recheck/states.py",
    "recheck/wanted.py",
    "verify/damage.py",
    "verify/finding.py",
    "verify/heads.py",
    "verify/reruns.py",
    "verify/verdict.py",
]
EFFECTS = {
    *("asyncio", "multiprocessing", "os", "pathlib", "random", "secrets", "shutil", "signal", "socket", "sqlite3"),
    *("ssl", "subprocess", "tempfile", "threading", "time", "uuid"),
}
"""What a pure module imports none of: clock, disk, network, chance, processes, threads."""


@dataclass(frozen=True)
class Import:
    """One name that a module imports: dotted, absolute."""

    name: str
    line: int
    lazy: bool
    """Inside a function or under TYPE_CHECKING: not run when the module is imported."""


def imports_of(source: str, package: str) -> Iterator[Import]:
    """Yield what a module of this package imports. `from a import b` gives `a.b`, whatever b is.

    Of a bare import of the whole package what counts is what the module then asks it for.
    """
    whole = package.split(".", maxsplit=1)[0]

    def walk(node: ast.AST, lazy: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            match child:
                case ast.Import(names=names):
                    yield from (Import(alias.name, child.lineno, lazy) for alias in names if alias.name != whole)
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == whole:
                    yield Import(f"{whole}.{attr}", child.lineno, lazy)
                case ast.ImportFrom(module=module, names=names, level=level):
                    start = package.rsplit(".", level - 1)[0] if level else ""
                    base = ".".join(filter(None, [start, module]))
                    yield from (Import(f"{base}.{alias.name}", child.lineno, lazy) for alias in names)
                case ast.Call(
                    func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Constant(value=str(text)), *_]
                ):
                    if name in ("import_module", "__import__"):
                        yield Import(text, child.lineno, lazy)
                    yield from walk(child, lazy)
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                    yield from walk(child, True)
                case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                    yield from walk(child, True)
                case _:
                    yield from walk(child, lazy)

    yield from walk(ast.parse(source), False)


def room_of(path: str) -> str:
    """Return the room of a file of the package: its first folder, or the module itself."""
    return path.split("/", maxsplit=1)[0].removesuffix(".py")


def lives_in(path: str, homes: Sequence[str]) -> bool:
    return any(path == home or (home.endswith("/") and path.startswith(home)) for home in homes)


def violations(root: Path) -> list[str]:
    """Return what breaks the tables in the package at this folder, one sentence each."""
    level = {room: number for number, rooms in enumerate(LEVELS) for room in rooms}
    files = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*.py"))}
    rooms = {room_of(path) for path in files}
    found = [
        f"{room}: not in LEVELS of tests/test_layers.py; add it on the line where it belongs"
        for room in sorted(rooms - level.keys())
    ]
    for path, file in files.items():
        room = room_of(path)
        package = ".".join([root.name, *path.split("/")[:-1]])
        for item in imports_of(file.read_text("utf-8"), package):
            where, parts = f"{path}:{item.line}", item.name.split(".")
            if parts[0] == root.name:
                target = parts[1] if len(parts) > 1 and parts[1] in rooms else "__init__"
                found += _between(where, room, target, item, level)
            elif parts[0] in HOMES and not lives_in(path, HOMES[parts[0]]):
                found.append(f"{where}: imports {parts[0]}, which lives in {', '.join(HOMES[parts[0]])}")
            if lives_in(path, PURE) and (parts[0] in EFFECTS or item.name.startswith(("urllib.request", "http."))):
                found.append(f"{where}: is pure and imports {parts[0]}")
            if lives_in(path, PURE) and item.name.split(".")[1:2] == ["keyring"]:
                found.append(f"{where}: is pure and asks the keyring, which reads the environment")
    return found


def _between(where: str, room: str, target: str, item: Import, level: Mapping[str, int]) -> Iterator[str]:
    if room == "__init__":
        if not item.lazy:
            yield f"{where}: the front page imports {target} at once; inside a function, so that importing it is cheap"
    elif target == room or item.name.endswith(".__version__") or not {room, target} <= level.keys():
        return
    elif level[target] >= level[room]:
        yield f"{where}: {room} imports {target}, which does not stand above it in LEVELS"


def test_the_house_is_as_drawn() -> None:
    assert violations(PACKAGE) == []


def test_every_file_named_in_the_tables_is_where_they_say() -> None:
    """A renamed module would fall out of its rule in silence. A whole room may be missing."""
    named = {name for names in (PURE, *HOMES.values()) for name in names}
    present = {room for rooms in LEVELS for room in rooms if (PACKAGE / room).is_dir()}
    missing = [name for name in named if room_of(name) in present and not (PACKAGE / name).exists()]
    assert missing == []


# --- the checker itself


def build(root: Path, files: Mapping[str, str]) -> Path:
    package = root / "searchlog"
    for name, source in {"__init__.py": "", "errors.py": "", **files}.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, "utf-8")
    return package


SOUND = {
    "__init__.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from searchlog.session import S\n"
    "def f():\n    import searchlog.session\n",
    "keyring.py": "",
    "clock.py": "import time\nfrom searchlog.errors import FormatError\n",
    "log/__init__.py": "",
    "log/store.py": "import sqlite3, os\nfrom searchlog import clock\nfrom . import tree\nfrom .tree import root\n",
    "log/tree.py": "import hashlib\nfrom searchlog.errors import IntegrityError\n",
    "capture/client.py": "import httpx\nfrom searchlog.log import tree\n",
    "evidence/pick.py": "import re\nfrom datetime import datetime\n",
    "session.py": "from searchlog import __version__\nfrom searchlog.capture.client import get\n",
    "capture/agent.py": "import searchlog\nAGENT = searchlog.__version__\n",
    "cli/main.py": "import click\nimport searchlog\nsearchlog.open()\nimport searchlog.session\n",
}


def test_the_checker_accepts_a_sound_house(tmp_path: Path) -> None:
    assert violations(build(tmp_path, SOUND)) == []


@pytest.mark.parametrize(
    ("name", "source", "says"),
    [
        ("log/bad.py", "from searchlog.capture.client import get", "log imports capture"),
        ("log/bad.py", "from searchlog import capture", "log imports capture"),
        ("log/bad.py", "import searchlog.session as s", "log imports session"),
        ("log/bad.py", "from ..capture import client", "log imports capture"),
        ("log/bad.py", "from .. import session", "log imports session"),
        ("log/deep/bad.py", "from ...capture.client import get", "log imports capture"),
        ("log/bad.py", "def f():\n    from searchlog.session import S", "log imports session"),
        (
            "log/bad.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import searchlog.session",
            "log imports session",
        ),
        ("log/bad.py", "import importlib\nimportlib.import_module('searchlog.session')", "log imports session"),
        ("log/bad.py", "try:\n    import searchlog.session\nexcept ImportError:\n    pass", "log imports session"),
        ("log/bad.py", "class A:\n    from searchlog.session import S", "log imports session"),
        ("log/bad.py", "import searchlog\nsearchlog.open()", "log/bad.py:2: log imports __init__"),
        ("log/bad.py", "import searchlog\nsearchlog.session.S()", "log/bad.py:2: log imports session"),
        ("log/bad.py", "from searchlog import open", "log imports __init__"),
        ("digest.py", "from searchlog import clock", "digest imports clock"),
        ("errors.py", "import searchlog.clock", "errors imports clock"),
        ("session.py", "from searchlog.cli.main import main", "session imports cli"),
        ("__init__.py", "from searchlog.session import S", "front page imports session at once"),
        ("novelty/__init__.py", "", "novelty: not in LEVELS of tests/test_layers.py; add it"),
        ("novelty.py", "", "novelty: not in LEVELS"),
        ("session.py", "import httpx", "imports httpx, which lives in capture/"),
        ("search/bad.py", "from httpcore import Request", "imports httpcore, which lives in capture/"),
        ("cli/bad.py", "def f():\n    import h11._state", "imports h11, which lives in capture/"),
        ("capture/bad.py", "import trafilatura", "imports trafilatura, which lives in extract/"),
        ("search/bad.py", "from lxml import etree", "imports lxml, which lives in extract/"),
        ("search/bad.py", "import selectolax.lexbor", "imports selectolax, which lives in"),
        ("session.py", "import sqlite3", "imports sqlite3, which lives in log/"),
        (
            "extract/bad.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from httpx import Client",
            "imports httpx",
        ),
        ("log/tree.py", "import time", "log/tree.py:1: is pure and imports time"),
        ("log/envelope.py", "from os import path", "is pure and imports os"),
        ("evidence/new.py", "def f():\n    import random", "evidence/new.py:2: is pure and imports random"),
        ("evidence/deep/new.py", "from pathlib import Path", "is pure and imports pathlib"),
        ("capture/guard.py", "import socket", "is pure and imports socket"),
        ("capture/guard.py", "from searchlog import keyring", "is pure and asks the keyring"),
        ("search/fuse.py", "def f():\n    from searchlog.keyring import known", "is pure and asks the keyring"),
        ("search/fuse.py", "from urllib.request import urlopen", "is pure and imports urllib"),
    ],
)
def test_the_checker_finds_each_kind_of_violation(tmp_path: Path, name: str, source: str, says: str) -> None:
    found = violations(build(tmp_path, {**SOUND, name: source}))
    assert len(found) == 1
    assert says in found[0]


def test_the_checker_reports_every_violation_with_its_place(tmp_path: Path) -> None:
    bad = {
        "log/tree.py": "import os\nimport searchlog.session\n\nimport httpx\n",
        "attic.py": "",
    }
    assert violations(build(tmp_path, {**SOUND, **bad})) == [
        "attic: not in LEVELS of tests/test_layers.py; add it on the line where it belongs",
        "log/tree.py:1: is pure and imports os",
        "log/tree.py:2: log imports session, which does not stand above it in LEVELS",
        "log/tree.py:4: imports httpx, which lives in capture/",
    ]


# --- what the rules are for

HEAVY = [
    "httpx",
    "httpcore",
    "pydantic",
    "trafilatura",
    "lxml",
    "diskcache",
    "rich",
    "brotli",
    "zstandard",
    "pypdfium2",
]


@pytest.mark.parametrize("module", ["searchlog", "searchlog.cli", "searchlog.flow.choose"])
def test_importing_it_loads_no_heavy_library(module: str) -> None:
    code = f"import sys, {module}; print(*sorted(set(sys.modules) & {set(HEAVY)!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
