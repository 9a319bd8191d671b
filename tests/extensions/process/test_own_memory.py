import subprocess
import sys

LOOK = """
import ctypes, subprocess, sys
from extensions.process.own_memory import hide_own_memory

is_dumpable = "import ctypes; print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
exec(is_dumpable)
hide_own_memory()
exec(is_dumpable)
print(subprocess.run([sys.executable, "-c", is_dumpable], capture_output=True, text=True).stdout)
"""


def test_this_process_alone_is_hidden() -> None:
    told = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["1", "0", "1"]
