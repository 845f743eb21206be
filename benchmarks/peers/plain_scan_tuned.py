"""The fastest scan we could write: no module beyond the builtin ones, 1 KB of each page read, bytes compared."""

import posix

import common
import lean


def main():
    payload = lean.payload()
    prompt, found = common.words(payload["prompt"]), []
    folder = payload["cwd"] + "/.abcd/memory/"
    for name in posix.listdir(folder):
        if not name.endswith(".md") or name in common.PLAIN_NAMES:
            continue
        page = posix.open(folder + name, posix.O_RDONLY)
        head = posix.read(page, 1024)
        start = head.find(b"recall: [")
        hits = 0
        if start >= 0:
            for keyword in head[start + 9 : head.find(b"]", start)].decode().split(", "):
                if " " + keyword + " " in prompt:
                    hits += 1
        if hits:
            head += posix.read(page, 1 << 20)
            found.append((hits, name, common.body_of(head.decode())))
        posix.close(page)
    lean.answer(payload["hook_event_name"], found)
