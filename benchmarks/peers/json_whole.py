"""One JSON index of all keywords, parsed whole with ``json``; bodies are read from the pages."""

import json
import sys

from json_lookup import answer


def main():
    payload = json.load(sys.stdin)
    with open(payload["cwd"] + "/.peers/index.json", "rb") as file:
        answered = answer(payload, json.loads(file.read()))
    if answered:
        print(json.dumps(answered))
