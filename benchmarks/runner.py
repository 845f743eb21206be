"""Start processes in turn and write down what each cost. Run as ``python -I -S runner.py SPEC OUT``.

It is a process of its own, and a small one: Linux counts the memory of the process that starts another into the
peak of the started one, so a large parent would hide what a small hook needs. Standard library only, and little of it.

SPEC (marshal): {"commands": [{"argv", "env", "cwd", "stdin", "stdout", "before", "reset"}], "rounds", "least",
                 "warmup", "seconds"}
  before: list of argv run untimed before each run; reset: [(folder, {name: bytes})] restored before each run.
OUT (marshal): list of [round, command, wall ns, user us, system us, peak memory KiB, exit status, bytes printed].
"""

import marshal
import posix
import sys
import time

# Linux reports the peak in KiB, macOS in bytes.
UNIT = 1024 if sys.platform == "darwin" else 1


def restore(folder, files):
    """Make ``folder`` hold exactly ``files``."""
    try:
        present = posix.listdir(folder)
    except FileNotFoundError:
        posix.mkdir(folder, 0o700)
        present = []
    for name in present:
        if name not in files:
            posix.unlink(folder + "/" + name)
    for name, data in files.items():
        target = posix.open(folder + "/" + name, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC, 0o600)
        posix.write(target, data)
        posix.close(target)


def start(command, argv):
    """The process id of ``argv``, its stdin, stdout and stderr wired to files."""
    actions = [
        (posix.POSIX_SPAWN_OPEN, 0, command["stdin"] or "/dev/null", posix.O_RDONLY, 0),
        (posix.POSIX_SPAWN_OPEN, 1, command["stdout"], posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC, 0o600),
        (posix.POSIX_SPAWN_OPEN, 2, "/dev/null", posix.O_WRONLY, 0),
    ]
    return posix.posix_spawn(argv[0], argv, command["env"], file_actions=actions)


def run(command):
    """One timed run: (wall ns, user us, system us, peak KiB, status, bytes printed)."""
    posix.chdir(command["cwd"])
    for folder, files in command["reset"]:
        restore(folder, files)
    for argv in command["before"]:
        posix.waitpid(start(dict(command, stdin=None, stdout="/dev/null"), argv), 0)
    begin = time.perf_counter_ns()
    pid = start(command, command["argv"])
    _, status, usage = posix.wait4(pid, 0)
    wall = time.perf_counter_ns() - begin
    return [
        wall,
        int(usage.ru_utime * 1e6),
        int(usage.ru_stime * 1e6),
        usage.ru_maxrss // UNIT,
        posix.waitstatus_to_exitcode(status),
        posix.stat(command["stdout"]).st_size,
    ]


def main():
    with open(sys.argv[1], "rb") as spec_file:
        spec = marshal.load(spec_file)
    commands, rows = spec["commands"], []
    for _ in range(spec["warmup"]):
        for command in commands:
            run(command)
    limit = time.monotonic() + spec["seconds"]
    for number in range(spec["rounds"]):
        # A few rounds whatever they cost; then as many as fit.
        if number >= spec["least"] and time.monotonic() > limit:
            break
        # Forwards, then backwards: what drifts in the machine falls on each command alike.
        order = range(len(commands)) if number % 2 == 0 else range(len(commands) - 1, -1, -1)
        for index in order:
            rows.append([number, index] + run(commands[index]))
    with open(sys.argv[2], "wb") as out:
        marshal.dump(rows, out)


main()
