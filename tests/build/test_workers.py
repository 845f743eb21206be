"""Processes that a build starts end with it."""

import os
import signal
import subprocess
import sys
import time

import pytest

from abcd_index.build import workers

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")

SLOW = """
import time
from abcd_index.build import workers
workers._cores = lambda: 3
print("begun", flush=True)
for _ in workers.mapped(str.upper, ["x" * 5000] * 40000, 40000):
    time.sleep(0.001)
"""


def group(number):
    """Whether a process of this group is still there, zombies aside."""
    listed = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    return any(row.split()[0] == str(number) and not row.split()[1].startswith("Z") for row in listed.splitlines())


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_the_build(sent):
    process = subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        assert process.stdout.readline() == b"begun\n"
        time.sleep(1.0)
        assert process.poll() is None and group(process.pid)
        process.send_signal(sent)
        process.wait(30)
        for _ in range(200):
            if not group(process.pid):
                break
            time.sleep(0.05)
        assert not group(process.pid)
        assert process.stdout.read() == b""
    finally:
        if group(process.pid):
            os.killpg(process.pid, signal.SIGKILL)


def test_the_same_in_one_process_and_in_several(monkeypatch):
    items = [str(number) for number in range(1000)]
    monkeypatch.setattr(workers, "_cores", lambda: 1)
    one = list(workers.mapped(int, items, len(items)))
    monkeypatch.setattr(workers, "_cores", lambda: 3)
    assert list(workers.mapped(int, items, len(items))) == one == list(range(1000))
