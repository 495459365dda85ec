"""Lists of facts among the attributes of a motion: data in memory, JSON text in files.

``motion.attrs["events"]`` is a list of dictionaries. netCDF knows no such thing, so that whoever makes an
array of it, as ``motion.to_netcdf`` does, gets its text; zarr keeps the list. `facts` gives the list for
both.

>>> found = Facts([{"name": "x", "time": 1.5}])
>>> found[0]["time"]
1.5
>>> import numpy as np
>>> facts({"events": str(np.asarray(found).item(), "ascii")}, "events") == found
True
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import xarray
    from numpy.typing import NDArray

LISTS = ("events", "watched", "impacts", "contacts", "modes", "held")
"""The attributes that are lists."""


class Facts(list[dict[str, Any]]):
    """A list of plain data which a file that has texts only keeps as JSON."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[np.bytes_]:
        import numpy as np

        return np.asarray(json.dumps(list(self)).encode("ascii"))


def facts(attributes: Mapping[Any, Any], name: str) -> Facts:
    """A list among the attributes of a motion, whether it was just computed or read from a file."""
    found = attributes.get(name, ())
    return Facts(json.loads(found) if isinstance(found, str) else found)


def restored(motion: xarray.Dataset) -> xarray.Dataset:
    """A motion that was read from a file, with its lists as data."""
    given = {name: facts(motion.attrs, name) for name in LISTS if name in motion.attrs}
    return motion.assign_attrs(given)
