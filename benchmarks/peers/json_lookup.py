"""The lookup in the JSON index, shared by the two peers that parse it whole."""

import common


def answer(payload, index):
    folder, hits = payload["cwd"] + "/.abcd/memory/", {}
    for run in common.runs(payload["prompt"]):
        for page in index["keys"].get(run, ()):
            hits[page] = hits.get(page, 0) + 1
    found = []
    for page in sorted(hits, key=lambda page: (-hits[page], page))[:20]:
        with open(folder + index["files"][page], encoding="utf-8") as text:
            found.append((hits[page], index["files"][page], common.body_of(text.read())))
    return common.envelope(payload["hook_event_name"], common.block(found)) if found else None
