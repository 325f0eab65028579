"""Providers of other packages: a real one is asked by its name, and a bad one costs itself and nobody else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from searchlog.errors import UsageError
from searchlog.search import plugins as found_plugins
from searchlog.search.plugins import found, plugins
from searchlog.search.provider import NetworkProvider
from searchlog.search.query import Query
from searchlog.search.registry import Options, available, build, facts_of
from searchlog.search.run import RunOutcome
from searchlog.search.whom import choose, keyless_order
from tests.cli.conftest import clean_env
from tests.example_package import SOURCE, install, source
from tests.searches import HTML, JSON, findings, html, opened
from tests.sites import Answer, Site, serve

ROOT = Path(__file__).parents[1]
KEY = "example-key-0123456789"
PAGE = html("High water follows low water after about six hours and a quarter.", "Tides")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages that this process sees."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    found.cache_clear()
    yield folder
    found.cache_clear()
    for name in [name for name, module in sys.modules.items() if str(folder) in str(getattr(module, "__file__", ""))]:
        del sys.modules[name]


@pytest.fixture
def site() -> Iterator[Site]:
    """A server with a page, and with the answer of the example's service that leads to it."""
    with serve({"/robots.txt": (404, {}, ""), "/tides": (200, HTML, PAGE)}) as served:
        served.pages["/find"] = answered(served)
        yield served


def answered(site: Site) -> Answer:
    rows = [{"link": f"{site.url}/tides", "name": "Tides", "about": "on high water"}]
    return 200, JSON, json.dumps({"items": rows})


def command(place: Path, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a process of its own that sees the packages of this folder."""
    paths = os.pathsep.join([str(place), str(ROOT)])
    env = clean_env(PYTHONPATH=paths, PYTHONDONTWRITEBYTECODE="1", **more)
    return subprocess.run(
        [sys.executable, "-m", "searchlog", *args], capture_output=True, text=True, env=env, timeout=60, check=False
    )


def state(name: str, env: dict[str, str] | None = None) -> tuple[str, str]:
    """Return how a provider of another package stands, and why."""
    return next((item.state, item.how) for item in available(env or {}) if item.name == name and item.package)


# --- one that is right


def test_a_server_of_ones_own_is_asked_at_a_private_address_without_leave(place: Path, site: Site) -> None:
    own = source(endpoint=f"{site.url}/find").replace("limits=", "own_server=True, limits=")
    install(place, own)
    with opened() as archive:
        (run,) = archive.session().search("high water", providers=["example"]).runs
        # the leave is for asking it: a page beside it stays out of reach
        assert (run.outcome, len(run.results)) == ("filtered_to_empty", 1)
    assert len(site.hits) == 1


def test_a_provider_of_a_package_is_asked_by_its_name(place: Path, site: Site) -> None:
    install(place, source(endpoint=f"{site.url}/find"))
    with opened() as archive:
        session = archive.session()
        search = session.search("high water", providers=["example"], allow_private=("127.0.0.1",))
        assert [(run.provider, run.outcome, len(run.results)) for run in search.runs] == [("example", "ok", 1)]
        assert "six hours and a quarter" in search.rendering
        assert findings(session) == []
    assert site.paths[0] == "/find?q=high+water&count=10&page=1"


def test_it_stands_in_the_list_with_its_facts_and_its_package(place: Path) -> None:
    install(place)
    item = next(item for item in available({}) if item.name == "example")
    assert (item.state, item.package) == ("keyless", "example-package 1.2")
    assert item.facts is not None
    assert item.facts.third_party == "Example (search.example)"
    assert item.how == "needs no key; set EXAMPLE_PACKAGE_KEY for a limit of your own"
    assert state("example", {"EXAMPLE_PACKAGE_KEY": KEY}) == ("configured", "EXAMPLE_PACKAGE_KEY is set")


def test_its_key_comes_from_its_variable_and_is_a_secret_of_the_request(place: Path) -> None:
    install(place)
    provider = build("example", {"EXAMPLE_PACKAGE_KEY": KEY})
    assert isinstance(provider, NetworkProvider)
    request = provider.request(Query("tides"))
    assert ("X-Key", KEY) in request.headers
    assert request.secrets == (KEY,)
    assert not provider.facts.keyless


def test_it_can_be_asked_at_another_address(place: Path) -> None:
    install(place)
    provider = build("example", {}, Options(endpoints={"example": "http://127.0.0.1:1/mirror"}))
    assert provider.facts.endpoint == "http://127.0.0.1:1/mirror/find"


def test_that_a_package_is_installed_sends_no_query_to_it(place: Path) -> None:
    before = choose({}), choose({"TAVILY_API_KEY": KEY})
    install(place)
    found.cache_clear()
    assert (choose({}), choose({"TAVILY_API_KEY": KEY})) == before
    assert choose({"EXAMPLE_PACKAGE_KEY": KEY}).names == keyless_order({})


def test_variables_can_name_it(place: Path) -> None:
    install(place)
    assert choose({"SEARCHLOG_PROVIDERS": "example"}).names == ("example",)
    assert keyless_order({"SEARCHLOG_KEYLESS": "example"}) == ("example",)


def test_the_command_line_lists_it_and_asks_it(place: Path, site: Site, tmp_path: Path) -> None:
    install(place, source(endpoint=f"{site.url}/find"))
    home = {"SEARCHLOG_ARCHIVE": str(tmp_path / "archive")}
    listed = command(place, "providers", "--json", **home)
    assert listed.returncode == 0, listed.stderr
    told = next(item for item in json.loads(listed.stdout)["providers"] if item["name"] == "example")
    assert (told["state"], told["package"]) == ("keyless", "example-package 1.2")
    assert told["facts"]["endpoint"] == f"{site.url}/find"

    own = f"127.0.0.1:{site.port}"
    asked = command(place, "search", "high water", "-p", "example", "--allow-private", own, **home)
    assert asked.returncode == 0, asked.stderr
    assert "six hours and a quarter" in asked.stdout
    session = next(line.split()[1] for line in asked.stderr.splitlines() if line.startswith("session"))
    checked = command(place, "verify", session, **home)
    assert checked.returncode == 0, checked.stdout


def test_what_its_service_answers_is_told_in_its_own_name(place: Path, site: Site, tmp_path: Path) -> None:
    install(place, source(endpoint=f"{site.url}/find"))
    site.pages["/find"] = (403, JSON, '{"error": "over quota"}')
    home = {"SEARCHLOG_ARCHIVE": str(tmp_path / "archive")}
    asked = command(place, "search", "high water", "-p", "example", "--allow-private", "127.0.0.1", **home)
    assert asked.returncode != 0
    assert "example: status 403, over quota" in asked.stderr
    assert "Traceback" not in asked.stderr


# --- bad ones

RAISES = "raise RuntimeError('no')\n"
BAD: dict[str, tuple[str, str, str, str]] = {
    "raises-on-import": ("example", RAISES, "Example", "example-package 1.2 cannot be loaded: RuntimeError"),
    "exits-on-import": ("example", "import sys\nsys.exit(3)\n", "Example", "cannot be loaded: SystemExit"),
    "no-python": ("example", "def\n", "Example", "cannot be loaded: SyntaxError"),
    "needs-what-is-not-there": (
        "example",
        "import nowhere_at_all\n",
        "Example",
        "cannot be loaded: ModuleNotFoundError",
    ),
    "no-such-class": ("example", SOURCE, "Other", "cannot be loaded: AttributeError"),
    "no-class": ("example", SOURCE, "_result", "example_package:_result is no provider: it has no FACTS"),
    "another-name": ("sample", SOURCE, "Example", "its entry point and its FACTS give different names"),
    "odd-name": ("Ex ample", source("Ex ample"), "Example", "its name is not lower-case words joined by hyphens"),
    "name-with-codes": ("x\x1b[2J", SOURCE, "Example", "its name is not lower-case words joined by hyphens"),
    "count-in-words": (
        "example",
        SOURCE.replace("count_max=20", "count_max='20'"),
        "Example",
        "FACTS.count_max must be a whole number, not of type str",
    ),
    "keys-of-none": (
        "example",
        SOURCE.replace('("EXAMPLE_PACKAGE_KEY",)', "None"),
        "Example",
        "FACTS.key_env must be a list of strings, not of type NoneType",
    ),
    "terms-of-none": (
        "example",
        SOURCE.replace("terms=Terms(", "terms=print("),
        "Example",
        "FACTS.terms must be a Terms, not of type NoneType",
    ),
    "half-of-the-facts": (
        "example",
        SOURCE + "\nExample.FACTS = object.__new__(Facts)\n",
        "Example",
        "FACTS.name must be a string",
    ),
    "half-a-character": (
        "example",
        SOURCE.replace('"Example"', '"\\ud800"'),
        "Example",
        "FACTS.title must be a string without half of a surrogate pair",
    ),
    "no-address": ("example", source(endpoint="ftp://x.example/"), "Example", "FACTS.endpoint is no http(s) address"),
    "key-of-no-kind": ("example", SOURCE.replace('"optional"', '"maybe"'), "Example", "FACTS.key is 'maybe'"),
    "constructor-raises": (
        "example",
        SOURCE + "\ndef made(self, **_):\n    raise ValueError(_)\n\nExample.__init__ = made\n",
        "Example",
        "example-package 1.2 raised ValueError when it was made",
    ),
    "constructor-exits": (
        "example",
        SOURCE + "\ndef made(self, **_):\n    raise SystemExit(3)\n\nExample.__init__ = made\n",
        "Example",
        "example-package 1.2 raised SystemExit when it was made",
    ),
    "constructor-takes-nothing": (
        "example",
        SOURCE + "\ndef made(self):\n    pass\n\nExample.__init__ = made\n",
        "Example",
        "raised TypeError when it was made",
    ),
    "facts-raise": (
        "example",
        SOURCE
        + "\nclass Bad(Example):\n    facts = property(lambda self: 1 / 0)\n    __init__ = lambda self, **_: None\n",
        "Bad",
        "raised ZeroDivisionError when it was made",
    ),
    "facts-of-another": (
        "example",
        SOURCE + "\nclass Bad(Example):\n    def __init__(self, **_):\n        super().__init__()\n"
        "        from dataclasses import replace\n        self.facts = replace(self.FACTS, name='tavily')\n",
        "Bad",
        "give different names",
    ),
    "no-methods": (
        "example",
        SOURCE
        + "\nclass Bad:\n    FACTS = Example.FACTS\n    def __init__(self, **_):\n        self.facts = self.FACTS\n",
        "Bad",
        "makes has not facts, request and parse",
    ),
    "shadows-one-of-ours": (
        "tavily",
        source("tavily"),
        "Example",
        "its name is that of a provider of searchlog, which is asked instead",
    ),
}


@pytest.mark.parametrize(("name", "text", "value", "says"), BAD.values(), ids=BAD.keys())
def test_a_bad_package_is_told_and_costs_nobody_else(place: Path, name: str, text: str, value: str, says: str) -> None:
    before = [(item.name, item.state) for item in available({})]
    install(place, text, name=name, value=value)
    install(place, source("sound"), name="sound", module="sound_package")
    found.cache_clear()
    after = available({})
    assert [(item.name, item.state) for item in after if not item.package] == before
    others = {item.package: (item.state, item.how) for item in after if item.package}
    assert others["sound-package 1.2"][0] == "keyless"
    state, how = others["example-package 1.2"]
    assert state == "broken"
    assert says in how
    assert all(item.name.isprintable() for item in after)
    assert build("tavily", {}).facts.third_party == "Tavily (tavily.com)"


@pytest.mark.parametrize("case", ["raises-on-import", "constructor-raises", "another-name"])
def test_a_bad_provider_that_is_named_is_a_wrong_usage_that_says_why(place: Path, case: str) -> None:
    name, text, value, says = BAD[case]
    install(place, text, name=name, value=value)
    with pytest.raises(UsageError, match=says):
        build(name, {"EXAMPLE_PACKAGE_KEY": KEY})


def test_what_a_constructor_raises_is_not_told_since_it_may_hold_the_key(place: Path) -> None:
    install(place, BAD["constructor-raises"][1])
    assert KEY not in " ".join(state("example", {"EXAMPLE_PACKAGE_KEY": KEY}))
    refusing = (
        "from searchlog.errors import UsageError\n"
        + SOURCE
        + (
            "\ndef made(self, key=None, **_):\n    raise UsageError(f'example: set another key than {key}')\n"
            "\nExample.__init__ = made\n"
        )
    )
    for name in [name for name in sys.modules if name == "example_package"]:
        del sys.modules[name]
    (place / "example_package.py").write_text(refusing, "utf-8")
    found.cache_clear()
    assert state("example") == ("needs-configuration", "example: set another key than None")
    assert state("example", {"EXAMPLE_PACKAGE_KEY": KEY}) == (
        "misconfigured",
        "example: example-package 1.2 does not take the key that is set",
    )


def test_a_provider_that_needs_a_key_says_which_variable_to_set(place: Path) -> None:
    install(place, SOURCE.replace('"optional"', '"required"'))
    assert state("example") == ("needs-configuration", "example: set EXAMPLE_PACKAGE_KEY to your key")
    assert state("example", {"EXAMPLE_PACKAGE_KEY": KEY})[0] == "configured"


def test_of_two_packages_with_one_name_the_first_is_asked_and_the_other_told(place: Path) -> None:
    install(place, source(endpoint="https://second.example/"), module="b_package")
    install(place, source(endpoint="https://first.example/"), module="a_package")
    assert build("example", {}).facts.endpoint == "https://first.example/"
    items = {item.package: item for item in available({}) if item.name == "example"}
    assert items["a-package 1.2"].state == "keyless"
    assert items["b-package 1.2"].state == "broken"
    assert items["b-package 1.2"].how.endswith("a provider of a-package 1.2, which is asked instead")


def test_a_package_that_cannot_be_loaded_does_not_hide_one_of_its_name(place: Path) -> None:
    install(place, RAISES, module="a_package")
    install(place, module="b_package")
    assert plugins()["example"].package == "b-package 1.2"
    assert [(item.package, item.state) for item in available({}) if item.name == "example"] == [
        ("b-package 1.2", "keyless"),
        ("a-package 1.2", "broken"),
    ]


@pytest.mark.parametrize("data", [b"\xff\xfe[searchlog.providers]\n", b"[searchlog.providers]\nno equals sign\n", b"["])
def test_a_package_damaged_on_disk_hides_no_other(place: Path, data: bytes) -> None:
    install(place)
    damaged = place / "damaged-1.dist-info"
    damaged.mkdir()
    (damaged / "entry_points.txt").write_bytes(data)
    assert state("example")[0] == "keyless"


@pytest.mark.parametrize("metadata", [b"", b"\xff\xfe", None], ids=["empty", "no-text", "none"])
def test_a_package_without_its_own_description_is_an_unnamed_one(place: Path, metadata: bytes | None) -> None:
    install(place)
    file = place / "example_package-1.2.dist-info" / "METADATA"
    file.unlink()
    if metadata is not None:
        file.write_bytes(metadata)
    item = next(item for item in available({}) if item.name == "example")
    assert item.state == "keyless"
    assert item.package


def test_each_module_is_loaded_once(place: Path) -> None:
    install(place, "import builtins\nbuiltins.loaded = getattr(builtins, 'loaded', 0) + 1\n" + SOURCE)
    import builtins

    try:
        for _ in range(3):
            available({})
            assert facts_of("example") is not None
        assert builtins.loaded == 1  # type: ignore[attr-defined]
    finally:
        del builtins.loaded  # type: ignore[attr-defined]


def test_the_command_line_tells_bad_ones_without_a_traceback(place: Path, tmp_path: Path) -> None:
    for number, (name, text, value, _) in enumerate(BAD.values()):
        # packages of other names, so that each one is told by itself
        own = name if name != "example" else f"bad{number}"
        changed = text.replace('name="example"', f'name="{own}"') if name == "example" else text
        install(place, changed, name=own, value=value, module=f"bad_{number}")
    install(place)
    home = {"SEARCHLOG_ARCHIVE": str(tmp_path / "archive")}
    for args in (["providers"], ["providers", "--json"]):
        listed = command(place, *args, **home)
        assert listed.returncode == 0, listed.stderr
        assert "Traceback" not in listed.stderr + listed.stdout
        assert "\x1b[2J" not in listed.stdout
        assert listed.stdout.count("broken") >= len(BAD)
    asked = command(place, "search", "tides", "-p", "bad0", **home)
    assert asked.returncode == 2
    assert "bad0 cannot be asked: bad-0 1.2 cannot be loaded: RuntimeError" in asked.stderr
    assert "Traceback" not in asked.stderr


def test_a_provider_that_raises_when_it_is_asked_costs_its_own_run(place: Path, site: Site) -> None:
    install(place, source(endpoint=f"{site.url}/find"))
    raising = source("raising", f"{site.url}/find") + "\nExample.parse = lambda self, response, query: 1 / 0\n"
    install(place, raising, name="raising", module="raising_package")
    with opened() as archive:
        search = archive.session().search("high water", providers=["raising", "example"], allow_private=("127.0.0.1",))
    runs = {run.provider: run.outcome for run in search.runs}
    assert runs == {"raising": RunOutcome.PARSE_ERROR, "example": RunOutcome.OK}
    assert "six hours and a quarter" in search.rendering


def test_the_module_names_its_group() -> None:
    assert found_plugins.GROUP == "searchlog.providers"
