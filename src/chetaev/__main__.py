"""``python -m chetaev`` is the command line."""

import os
import sys

if __name__ == "__main__":
    if not sys.flags.safe_path and sys.path and sys.path[0] in ("", os.getcwd()):
        del sys.path[0]  # what lies in the current directory is no part of the program
    from chetaev.cli import main

    main()
