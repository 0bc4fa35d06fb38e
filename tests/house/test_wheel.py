"""What is shipped: one wheel with the package, whole, the page that was built, and the licence."""

import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parents[2]


def test_the_wheel_carries_the_package_and_the_licence(tmp_path):
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        str(HERE),
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path),
    ]
    subprocess.run([*command, "--disable-pip-version-check"], check=True)
    (wheel,) = tmp_path.glob("workroom-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    source = HERE / "src"
    assert {str(path.relative_to(source)) for path in source.rglob("*.py")} <= names
    assert [name for name in names if name.endswith(".dist-info/licenses/LICENSE")]
    page = {name.removeprefix("workroom/page/") for name in names if name.startswith("workroom/page/")}
    assert {"index.html"} == {name for name in page if not name.startswith("assets/")}
    assert {".js", ".css"} <= {Path(name).suffix for name in page}
    assert not [name for name in names if name.startswith(("tests/", "tools/", "web/"))]
