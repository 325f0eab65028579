"""A fresh machine: an old pip installs the checkout, everything it needs can be imported, and the demo runs.

pip 23.2 does not match the extra of lxml through which trafilatura asks for `lxml_html_clean`: it warns, leaves it
out, and importing trafilatura fails. So the project asks for it by name.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PIP = "23.2.1"


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    # neither the checkout nor the environment that runs the tests may stand in for what was installed
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=570)


def test_lxml_html_clean_is_asked_for_by_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert any(need.startswith("lxml_html_clean") for need in project["dependencies"])


@pytest.fixture(scope="module")
def fresh_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment with pip 23.2. Skips only where no package index can be reached."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    probe = run(python, "-m", "pip", "download", "--no-deps", "-q", "-d", "probe", "lxml_html_clean", cwd=folder)
    if probe.returncode:
        pytest.skip(f"no package index can be reached: {probe.stderr.strip().splitlines()[-1:]}")
    version = run(python, "-c", "import pip; print(pip.__version__)", cwd=folder).stdout.strip()
    if version != PIP:
        if sys.version_info >= (3, 14):
            pytest.skip("pip 23.2 does not run on this Python")
        changed = run(python, "-m", "pip", "install", "-q", f"pip=={PIP}", cwd=folder)
        assert changed.returncode == 0, changed.stderr
    return python


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_an_old_pip_installs_all_that_is_imported_and_the_demo_runs(fresh_python: Path, tmp_path: Path) -> None:
    installed = run(fresh_python, "-m", "pip", "install", "-q", "--no-warn-script-location", ROOT, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    modules = ["trafilatura", "htmldate", "selectolax.lexbor", "lxml_html_clean", "httpx", "searchlog", "searchlog.cli"]
    for module in modules:
        done = run(fresh_python, "-c", f"import {module}; print({module.split('.')[0]}.__file__)", cwd=tmp_path)
        assert done.returncode == 0, f"{module}: {done.stderr}"
        assert str(fresh_python.parents[1]) in done.stdout
    checked = run(fresh_python, "-m", "pip", "check", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    searchlog = fresh_python.with_name("searchlog")
    command = run(searchlog, "--help", cwd=tmp_path)
    assert command.returncode == 0, command.stderr
    assert "Usage" in command.stdout
    demo = run(searchlog, "demo", "-q", "--archive", tmp_path / "archive", cwd=tmp_path)
    assert demo.returncode == 0, demo.stderr
    assert (tmp_path / "archive" / "log.db").exists()
