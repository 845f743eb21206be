"""What of a prompt was typed and what a program wrote: with and without a fence."""

import pytest

from abcd_index.agenthooks.prompt import Prompt

# Each is one line that a program wrote. The word `quartz` stands for what would match.
WRITTEN = """
$ npm run quartz
❯ git push quartz
➜  shop git:(main) ✗ quartz
dev@host:~/shop$ make quartz
▲ Next.js 15.5.9 quartz
✓ Compiled quartz in 2.1s
⨯ quartz failed to load
├── quartz.ts
On branch quartz
modified:   src/quartz.ts
M  src/quartz.ts
?? notes/quartz.md
R  old.ts -> src/quartz.ts
commit 3f2a9c1d77 (HEAD -> quartz)
Author: Quartz Miner <q@example.org>
GET /api/quartz 200 in 45ms
POST /api/quartz 500
quartz.tsx:52 rendered twice
main.go:3:14: undefined: quartz
src/quartz.c:12:3: error: expected ';'
tests/test_quartz.py::test_a FAILED
203|     quartz()
FAIL  src/quartz.test.js > rotates
Uncaught TypeError: quartz is not a function
Unhandled rejection in quartz
error[E0382]: borrow of moved value: quartz
--> src/quartz.rs:3:5
make: *** [quartz] Error 2
DETAIL:  Key (quartz)=(3) already exists.
HTML Element: <div class="quartz"></div>
DOM Path: div#root > div.quartz
React Component: Quartz
    at quartz (app.js:3:14)
dev@host shop % make quartz
(venv) dev@host:~/shop$ make quartz
(base) ➜  shop git:(main) ✗ quartz
~/shop $ make quartz
PS C:\\work> make quartz
C:\\work>make quartz
-rw-r--r-- 1 dev dev 40 quartz.sh
3f2a9c1..8b1d2e4  quartz -> quartz
(use "git restore <file>..." to discard quartz)
added 120 packages of quartz
dist/quartz/index.js  143.2 kB
error TS2304: Cannot find name 'quartz'.
src/quartz.ts(12,5): error TS2304: no name
Exception in thread "main" quartz.Fault
Caused by: java.lang.Fault: quartz
    at quartz.Thread.run(Native Method)
from /srv/quartz.rb:12:in `login'
PHP Fatal error:  quartz
#0 /srv/quartz.php(12): login()
#0  0x00007f in quartz ()
#1      main (file:///srv/quartz.dart:3:14)
login@http://localhost/quartz.js:1:2
quartz @ logger.ts:28
4: quartz::run
(shop 0.1.0) lib/quartz.ex:12: Shop.run/1
/srv/quartz.go:12 +0x1d
#12 [build 3/5] RUN quartz
Step 3/10 : RUN quartz
=> [build 3/5] RUN quartz
{"level":"error","msg":"quartz"}
{status: 'quartz', cached: true}
(3) ['quartz', 'lever']
<link rel="icon" href="/quartz.ico">
GET http://localhost/quartz net::ERR_FAILED
2026-11-02 10:11:12 quartz started
[WARN] quartz is slow
""".strip("\n").split("\n")

# Each is what a person says, whatever it begins with.
TYPED = """
make the quartz page faster
commit the quartz change
commit abc to quartz now
A quartz is missing in the list
M is for quartz
get /quartz to work again
POST the form to quartz instead
error handling of quartz is bad
date quartz was added?
fail the quartz build when it is red
3 quartz lines are too many
at quartz we use tabs
on branch names: quartz is ours
why does quartz say "not found"?
5.3.2 of quartz is out
the error: quartz is gone
pass quartz as the second argument
author of quartz?
INFO lines of quartz are too loud
commit 3f2a9c1d77 broke quartz
GET /quartz returns 500
POST /quartz gives a 403 when it is off
Merge: the quartz branch
Author: show the name of quartz
CONTEXT: we use quartz
HINT: look at quartz
DETAIL: quartz
PASS the quartz token to it
FAIL the build when quartz is missing
Caused by: the quartz change
Unhandled errors in quartz are lost
Uncaught faults of quartz too
thread 'quartz' is stuck
goroutine leak in quartz
On branch main quartz fails
... and quartz too
=> so quartz is broken
--> quartz
app.tsx:52 is wrong in quartz
tests/test_a.py::test_b fails since quartz
#12 quartz is done
#12 [quartz] is not closed
Step 3 of quartz fails
added 3 tests of quartz
added quartz to the list
total quartz is wrong
(1) quartz
(see) quartz
4: quartz first
~/quartz is my folder
at quartz (see notes)
why +0x3 quartz
- move quartz to the top
* quartz first
""".strip("\n").split("\n")


@pytest.mark.parametrize("line", WRITTEN)
def test_what_a_program_wrote_is_pasted_without_a_fence(line):
    for prompt in (f"why does this happen?\n{line}\n", f"{line}\nwhat now?", f"see\n\n{line}\n\nand tell me"):
        read = Prompt(prompt)
        assert "quartz" in read.pasted.lower() and "quartz" not in read.typed.lower(), prompt


@pytest.mark.parametrize("line", TYPED)
def test_what_a_person_says_is_typed(line):
    for prompt in (line, f"please look:\n{line}\n", f"{line}\n\nand tell me"):
        read = Prompt(prompt)
        assert "quartz" in read.typed and not read.pasted.strip(), prompt


def test_what_could_be_either_is_a_programs_beside_a_programs_line():
    for log in ("INFO quartz is up\nERROR lever is down", "remote: quartz\nTo github.com:dev/shop.git", "$ make shop\nvite v5.0.0 quartz"):
        assert "quartz" in Prompt("see\n" + log).pasted, log
        first, second = log.split("\n")
        assert "quartz" in Prompt("see\n" + (first if "quartz" in first else second)).typed, log
        assert "quartz" in Prompt("see\n" + (first + "\n\nand what of\n\n" + second)).typed, log


def test_what_is_set_in_below_a_programs_line_is_the_programs():
    read = Prompt("check this:\n\ncommit 3f2a9c1d77\nAuthor: A B <a@example.org>\n\n    quartz: guard it\n\n    - and lever\n\nthanks, zircon")
    assert "quartz" in read.pasted and "lever" in read.pasted and read.typed.split()[-2:] == ["thanks,", "zircon"]
    assert "quartz" in Prompt("my list:\n    quartz\n    lever").typed


def test_an_error_in_a_sentence_is_the_programs_from_its_name_on():
    read = Prompt("saving the form says StorageError: quartz is full")
    assert read.typed.strip() == "saving the form says" and read.pasted.startswith("StorageError: quartz")
    assert "quartz" in Prompt("an Error: quartz").typed


def test_what_is_typed_behind_an_element_counts():
    read = Prompt('HTML Element: <img src="/logo.svg"></img> the quartz is cut off')
    assert "quartz" in read.typed and "logo" not in read.typed
    assert "quartz" in Prompt("not bigger, DOM Path: div#root > div.lever\nquartz is cut off").typed


@pytest.mark.parametrize("tag", ["system-reminder", "system_reminder", "system_instruction", "system-instruction"])
def test_a_closed_block_in_front_is_not_typed_and_silences_nothing(tag):
    read = Prompt(f"<{tag}>\nuse lever\n</{tag}>\n\nwhy is quartz slow?")
    assert read.typed.split() == "why is quartz slow?".split() and not read.machine
    assert "lever" not in read.words
    assert Prompt("<system-reminder>lever</system-reminder>").machine
    assert Prompt("<system-reminder>lever and quartz").machine


@pytest.mark.parametrize("block", [
    "<SYSTEM-REMINDER>lever</SYSTEM-REMINDER>\n", "<system-reminder kind='a'>lever</system-reminder>", "<system_instruction>" + "lever " * 3000 + "</system_instruction>",
    "<system-reminder>lever</system-reminder> \n" * 3000])
def test_a_block_in_front_of_any_kind_and_length(block):
    read = Prompt(block + "why is quartz slow?\n" + "and zircon?\n" * 1500)
    assert read.typed.startswith("why is quartz slow?") and not read.machine and "lever" not in read.words


@pytest.mark.parametrize("prompt", ["<task>quartz</task>", "[Image #1] quartz", "quartz [Image #12]", "quartz [Pasted text #1 +20 lines]"])
def test_tags_and_a_clients_marks_are_no_words(prompt):
    assert Prompt(prompt).typed.split() == ["quartz"]


@pytest.mark.parametrize("prompt", ["a < b and c > d", "<3 quartz", "List<String> of quartz", "x <- quartz", "[Image # of quartz"])
def test_other_angles_and_brackets_stay(prompt):
    assert "quartz" in Prompt(prompt).typed or "and" in Prompt(prompt).typed


@pytest.mark.parametrize("extra", ["", "\u4e2d", "caf\u00e9"])
def test_a_paste_is_read_to_the_same_length_in_every_script(extra):
    log = "2026-11-02 10:11:12 " + extra + " quartz" + " x" * 1500 + " zircon" + " y" * 1600
    assert len(log) < 7000
    words = Prompt("why?\n" + log).run.split()
    assert "quartz" in words and "zircon" in words


@pytest.mark.parametrize("gap", [" ", "\n", "\n\n"])
def test_a_character_more_takes_no_more_than_a_word_or_two_from_what_was_typed(gap):
    text = gap.join(f"word{number}" for number in range(2000))
    before = len(Prompt(text[:3900]).typed)
    for length in range(3901, 9000, 3):
        typed = len(Prompt(text[:length]).typed)
        assert before - typed < 40, length
        before = typed
    assert Prompt(text[:9000]).typed.startswith("word0") and before < 2100
