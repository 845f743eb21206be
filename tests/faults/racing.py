"""Two builders, three readers and pages that change all the time: a reader sees a whole answer or none."""

import json
import os
import random
import signal
import time

from . import report
from .scenes import page
from .world import World

WORDS = ("login", "deploy", "cache", "queue")


def body(number, word):
    return page([word], " ".join(["v%d" % number] * 40), word.title())


def run(folder, seconds):
    """(row, failures). Counted are the answers that readers got."""
    world = World(folder)
    world.begin()
    for word in WORDS:
        world.write("work/.abcd/memory/note_%s.md" % word, body(0, word))
    world.cli("build", "-q")
    results = [folder.with_name("race-%d" % number) for number in range(6)]
    until = time.monotonic() + seconds
    children = [_start(work, world, until, result) for work, result in
                zip([changer, builder, builder, reader, reader, reader], results)]
    for child in children:
        os.waitpid(child, 0)
    found = [json.loads(result.read_text()) if result.exists() else {"tried": 0, "bad": ["the process died"]}
             for result in results]
    bad = [problem for part in found for problem in part["bad"]]
    done = world.cli("build", "-q")
    said = world.cli("verify", "--scope", "workspace")
    if done.status or said.status:
        bad.append("at last: " + done.err + said.out)
    tried = sum(part["tried"] for part in found[3:])
    answers = sum(part.get("answers", 0) for part in found[3:])
    if not answers:
        bad.append("no reader was ever given a page")
    return report.row("answers while two build and pages change", tried, 0, len(bad)), [("race", text) for text in bad]


def _start(work, world, until, result):
    child = os.fork()
    if child:
        return child
    try:
        signal.alarm(120)
        os.environ.clear()
        os.environ.update(world.env)
        os.chdir(world.root)
        random.seed(os.getpid())
        result.write_text(json.dumps(work(world, until)))
    finally:
        os._exit(0)


def changer(world, until):
    number, bad = 0, []
    store = world.root / ".abcd" / "memory"
    while time.monotonic() < until:
        number += 1
        word = random.choice(WORDS)
        beside = store / (".new-" + word)
        beside.write_text(body(number, word))
        os.replace(beside, store / ("note_%s.md" % word))
        time.sleep(random.random() * 0.05)
    return {"tried": number, "bad": bad}


def builder(world, until):
    from abcd_index.build.run import build
    from abcd_index.errors import AbcdError
    from abcd_index.scopes import Places, find_scopes

    number, bad = 0, []
    while time.monotonic() < until:
        number += 1
        try:
            build(find_scopes(str(world.root), Places())[0], force=random.random() < 0.2)
        except AbcdError as error:
            if "keeps changing" not in str(error):
                bad.append("a builder: %s" % error)
        except Exception as error:
            bad.append("a builder: %r" % error)
    return {"tried": number, "bad": bad[:5]}


def reader(world, until):
    from abcd_index.agenthooks import prompt_hook
    from abcd_index.scopes import Places

    os.fork = lambda: 1
    import posix

    posix.fork = os.fork
    number, answers, bad = 0, 0, []
    while time.monotonic() < until:
        number += 1
        sent = []
        payload = {"cwd": str(world.root), "prompt": "login, deploy, cache, queue?", "hook_event_name": "UserPromptSubmit"}
        try:
            prompt_hook.respond(payload, Places(), "", lambda data, sent=sent: sent.append(data) or True)
            for data in sent:
                text = json.loads(data)["hookSpecificOutput"]["additionalContext"]
                answers += "\n" in text
                for line in text.split("\n"):
                    versions = {part for part in line.split() if part[:1] == "v" and part[1:].isdigit()}
                    if len(versions) > 1 or versions and line.count("v") != 40:
                        bad.append("a mixed page: " + line[:100])
            if len(sent) > 1:
                bad.append("%d answers to one prompt" % len(sent))
        except Exception as error:
            bad.append("a reader: %r" % error)
        time.sleep(0.002)
    return {"tried": number, "answers": answers, "bad": bad[:5]}
