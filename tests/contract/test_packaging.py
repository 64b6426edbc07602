"""However it was installed, the package finds its templates, static files and scripts.

Built and installed offline, with the libraries of the running environment: what is tried is our packaging.
"""

import json
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from dashboard import __version__
from tests.support.processes import ROOT

TELL = """
import json
import dashboard
from importlib.metadata import version
from dashboard.places import static_dir, templates_dir
print(json.dumps({
    "version": [version("watchkeeper"), dashboard.__version__],
    "package": dashboard.__path__[0],
    "templates": str(templates_dir()),
    "static": str(static_dir()),
}))
"""
IN_EVERY_SDIST = (
    ".ci/run CHANGELOG.md LICENSE Makefile Procfile README.md bench/__main__.py dashboard/__init__.py "
    "docs/settings.md pyproject.toml static/vendor/VENDORED.md templates/base.html tests/conftest.py "
    "tests/contract/test_packaging.py .ci/debian-packages"
).split()
NOT_IN_ANY_WHEEL = ("tests", "bench", "docs", "templates", "static", ".ci")


def run(*command: str | Path, cwd: Path) -> str:
    """Run a program to its end with no settings of ours; its output, or a failure that shows it."""
    ended = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@dataclass(frozen=True)
class Built:
    sdist: Path
    wheel: Path
    tree: Path
    """The unpacked sdist."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The sdist of the repository and, from nothing but it, the wheel."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    sdist = out / f"watchkeeper-{__version__}.tar.gz"
    with tarfile.open(sdist) as archive:
        archive.extractall(out / "tree", filter="data")
    return Built(sdist, next(out.glob("*.whl")), out / "tree" / f"watchkeeper-{__version__}")


@pytest.fixture(params=["sdist", "wheel", "editable"])
def installed(request: pytest.FixtureRequest, built: Built, tmp_path: Path) -> tuple[str, Path]:
    """How it was installed, and the Python of a fresh environment that holds nothing else of ours."""
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    packages = Path(run(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=tmp_path).strip())
    # A path file adds the libraries behind the environment's own packages, and not the links in them.
    running = "\n".join(path for path in sys.path if path.endswith("site-packages"))
    (packages / "libraries.pth").write_text(running, encoding="utf-8")
    what: dict[str, list[str | Path]] = {
        "sdist": [built.sdist],
        "wheel": [built.wheel],
        "editable": ["--editable", built.tree],
    }
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed"]
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, "install", *options]
    run(*pip, *what[request.param], cwd=tmp_path)
    return request.param, python


def test_templates_and_static_files_are_found(
    installed: tuple[str, Path], built: Built, tmp_path: Path
) -> None:
    how, python = installed
    told = json.loads(run(python, "-c", TELL, cwd=tmp_path))
    package, templates, static = Path(told["package"]), Path(told["templates"]), Path(told["static"])
    assert told["version"] == [__version__, __version__]
    home = built.tree / "dashboard" if how == "editable" else tmp_path / "venv"
    assert package.is_relative_to(home)
    assert templates.parent == (package.parent if how == "editable" else package)
    for folder, original in ((templates, ROOT / "templates"), (static, ROOT / "static")):
        assert files_in(folder) == files_in(original)
    assert files_in(package / "queue" / "lua") == files_in(ROOT / "dashboard" / "queue" / "lua")


def test_the_command_and_the_console_start(installed: tuple[str, Path], tmp_path: Path) -> None:
    _, python = installed
    assert "demo" in run(python.parent / "watchkeeper", "--help", cwd=tmp_path)
    run(python, "-c", "import dashboard.wsgi", cwd=tmp_path)


def test_the_sdist_is_complete(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert [name for name in IN_EVERY_SDIST if name not in names] == []
    assert [name for name in names if "__pycache__" in name or name.startswith(".venv")] == []


def test_the_wheel_holds_the_package_and_nothing_beside_it(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0] for name in names} == {
        "dashboard",
        f"watchkeeper-{__version__}.dist-info",
    }
    assert not [name for name in names if name.startswith(NOT_IN_ANY_WHEEL)]
    licences = {name for name in names if "/licenses/" in name}
    assert len(licences) >= 4, "our licence and one for each vendored package"


def files_in(folder: Path) -> set[str]:
    """Every file below a folder, by its path from there."""
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found
    return {name for name in found if "__pycache__" not in name}
