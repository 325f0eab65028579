"""A package of somebody else with a provider in it, written into a folder as an installer would leave it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["SOURCE", "install", "source"]

SOURCE = '''"""A provider of somebody else."""

from searchlog.providing import Facts, Reader, RunOutcome, Service, Terms, error_text, fit, rows, text, wanted


class Example(Service):
    FACTS = Facts(
        name="example",
        title="Example",
        endpoint="https://search.example/find",
        third_party="Example (search.example)",
        terms=Terms("https://search.example/terms", "2026-11-30", "nothing is known of keeping answers"),
        applies=("count", "page"),
        returns=("snippet",),
        key="optional",
        key_env=("EXAMPLE_PACKAGE_KEY",),
        count_max=20,
        limits="none are known",
    )

    def request(self, query):
        count = wanted(query, self.facts)
        fields = {"q": fit(query.text, 400)[0], "count": str(count), "page": str(query.page)}
        return self._get(fields, *((("X-Key", self._key),) if self._key else ()))

    def parse(self, response, query):
        reader = Reader(self.facts, "example/1", self.facts.ignored(query))
        if response.status == 403 and error_text(response.body) == "over quota":
            return reader.run(RunOutcome.QUOTA, "status 403, over quota")
        found = reader.refused(response) or rows(response, reader, "items")
        if not isinstance(found, tuple):
            return found
        reader.walk(found[1], _result)
        return reader.run()


def _result(row):
    return {"url": row.get("link"), "title": text(row.get("name")), "snippet": text(row.get("about"))}
'''


def source(name: str = "example", endpoint: str = "https://search.example/find") -> str:
    """Return the provider's module, with another name or address in its facts."""
    changed = SOURCE.replace('name="example"', f'name="{name}"')
    return changed.replace('"https://search.example/find"', repr(endpoint))


def install(
    folder: Path,
    text: str = SOURCE,
    *,
    name: str = "example",
    module: str = "example_package",
    value: str = "Example",
    version: str = "1.2",
) -> None:
    """Put a package into a folder: its module, and the dist-info that says which provider it brings.

    name: of the entry point. value: what it names in the module.
    """
    (folder / f"{module}.py").write_text(text, "utf-8")
    info = folder / f"{module}-{version}.dist-info"
    info.mkdir()
    dashed = module.replace("_", "-")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dashed}\nVersion: {version}\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[searchlog.providers]\n{name} = {module}:{value}\n", "utf-8")
    (info / "RECORD").write_text("", "utf-8")
