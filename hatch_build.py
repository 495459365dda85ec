"""A part of every build: the integrators' loops become machine code (see `chetaev.flow.compile.loops`).

Wheels are therefore for one operating system and architecture, though for any Python. No compiler is needed:
LLVM comes with llvmlite. A wheel leaves the source as it was; an editable install runs from the source, and
has its code there.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Loops(BuildHookInterface[Any]):
    """Puts object code into the package before its files are gathered."""

    made = ""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the code, and say that the wheel holds some."""
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(Path(self.root) / "src"))
        from chetaev.flow.compile import loops

        if version == "editable":
            shutil.rmtree(loops.OBJECTS, ignore_errors=True)
            count = loops.build()
        else:
            self.made = mkdtemp(prefix="chetaev-objects-")
            count = loops.build(Path(self.made))
            build_data["force_include"][self.made] = "chetaev/flow/objects"
        self.app.display_info(f"{count} objects with the integrators' loops")
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The wheel has them."""
        if self.made:
            shutil.rmtree(self.made, ignore_errors=True)
