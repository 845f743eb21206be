"""Every kind of fault that public reports name (P01-P56, H15, H51-H53, G51): the value or the error, with the
file's own line, and the page still there wherever its body is known."""

import pytest

from abcd_index.store.page import read_page

BODY = "---\nBody text.\n"


def front(*lines):
    return "---\n" + "".join(line + "\n" for line in lines) + BODY


def read(data, name="x.md"):
    page, findings = read_page(name, data.encode("utf-8") if isinstance(data, str) else data)
    return page, findings


def codes(findings):
    return [(finding.code, finding.line) for finding in findings]


# (id, input, wanted fields, wanted (code, line) pairs: all of them)
READ = [
    ("P01 bom", b"\xef\xbb\xbf---\nname: deploy-notes\ntype: project\n---\nBody.\n",
     {"title": "deploy-notes", "type": "project", "body": "Body.\n"}, []),
    ("P02 crlf", "---\r\nname: a\r\ndescription: d\r\n---\r\nBody\r\n",
     {"title": "a", "summary": "d", "body": "Body\n", "body_line": 5}, []),
    ("P02 lone cr", "---\rname: a\r---\rBody\r", {"title": "a", "body": "Body\n", "body_line": 4}, []),
    ("P05 rule", "---\n\nSome prose here.\n\n---\n\nMore.\n",
     {"body": "---\n\nSome prose here.\n\n---\n\nMore.\n", "body_line": 1}, [("page-starts-with-rule", 1)]),
    ("P05 prose that looks like a key", "---\n\n# Heading\n\nUse: the staging key\n\n---\n\nMore.\n",
     {"title": "Heading", "dialect": "plain", "body_line": 1}, [("page-starts-with-rule", 1)]),
    ("P05 prose that looks like a known key", "---\n\nDate: Monday\n\n---\n\nMore.\n", {"updated": None, "body_line": 1},
     [("page-starts-with-rule", 1)]),
    ("P05 blank lines before the rule", "\n\n---\nAcme\n---\nMore.\n", {"body_line": 1},
     [("page-starts-with-rule", 3)]),
    ("P05 keys nobody reads", "---\nUse: x\n---\nMore.\n", {"body": "More.\n"}, [("frontmatter-unknown-keys", 2)]),
    ("H51 bold letterhead", "---\n**Acme**\n---\nDear all\n", {"body": "---\n**Acme**\n---\nDear all\n"},
     [("page-starts-with-rule", 1)]),
    ("H51 list", "---\n- a\n- b\n---\nx\n", {"body_line": 1}, [("page-starts-with-rule", 1)]),
    ("H51 rule without another", "---\nAcme writes to you.\n", {"body": "---\nAcme writes to you.\n"},
     [("page-starts-with-rule", 1)]),
    ("H51 rule in the body", "---\nname: a\n---\nx\n\n---\n\ny\n", {"body": "x\n\n---\n\ny\n"}, []),
    ("H51 dashes inside a block scalar", "---\nname: a\ndescription: |\n  one\n  ---\n  two\n---\nBody\n",
     {"summary": "one\n---\ntwo", "body": "Body\n", "body_line": 8}, []),
    ("P07 blanks behind the fences", "--- \nname: a\n---\t\nBody\n", {"title": "a", "body": "Body\n"}, []),
    ("P07 longer fences", "-----\nname: a\n---\nBody\n", {"title": "a", "body": "Body\n"}, []),
    ("P07 dots", "---\nname: a\n...\nBody\n", {"title": "a", "body": "Body\n", "body_line": 4},
     [("frontmatter-dots", 3)]),
    ("P07 dots and a rule", "---\nname: a\n...\nBody\n\n---\ntail\n", {"title": "a", "body": "Body\n\n---\ntail\n"},
     [("frontmatter-dots", 3)]),
    ("P07 text behind the dashes", "--- start-multi-column: R1\ntext\n---\nBody\n",
     {"body": "--- start-multi-column: R1\ntext\n---\nBody\n"}, []),
    ("P08 empty block", "---\n---\nBody\n", {"title": "x", "body": "Body\n", "body_line": 3}, []),
    ("P08 comment only", "---\n# todo\n---\nBody\n", {"body": "Body\n"}, []),
    ("P08 no body", "---\nname: a\n---", {"title": "a", "body": ""}, []),
    ("P08 lone fence", "---", {"body": ""}, [("page-empty", 1)]),
    ("P08 empty file", "", {"title": "x", "body": ""}, [("page-empty", None)]),
    ("P08 blank file", " \n\n", {"title": "x"}, [("page-empty", None)]),
    ("P10 lone brace", "{\nsome template\n}\nBody\n", {"body": "{\nsome template\n}\nBody\n"},
     [("frontmatter-not-yaml", 1)]),
    ("P10 toml", '+++\nname = "a"\n+++\nBody\n', {"title": "x", "body": '+++\nname = "a"\n+++\nBody\n'},
     [("frontmatter-not-yaml", 1)]),
    ("P10 two rules in a page", "Intro\n\n---\nA: 1\n---\nB", {"body": "Intro\n\n---\nA: 1\n---\nB"}, []),
    ("P11 two blocks", "---\nname: a\n---\n---\nname: b\n---\nBody\n",
     {"title": "a", "body": "Body\n", "body_line": 7}, [("frontmatter-second", 4)]),
    ("P11 two rules below the frontmatter", "---\nname: a\n---\n---\nNot a key\n---\nBody\n",
     {"body": "---\nNot a key\n---\nBody\n"}, []),
    ("P13 at sign", front("name: @Autowired acceptable", "type: feedback"),
     {"title": "@Autowired acceptable", "type": "feedback"}, [("yaml-start", 2)]),
    ("P13 backtick", front("name: a", "description: `uv run` only, never pip"),
     {"summary": "`uv run` only, never pip"}, [("yaml-start", 3)]),
    ("P13 scoped package", front("name: a", "recall: [@types/node, ts]"), {"keywords": ("@types/node", "ts")},
     [("yaml-start", 3)]),
    ("P14 bold", front("name: a", "description: **Never** push"), {"summary": "**Never** push"}, [("yaml-alias", 3)]),
    ("P14 glob", front("name: a", "recall: [*.py, pytest]"), {"keywords": ("*.py", "pytest")}, [("yaml-alias", 3)]),
    ("P14 undefined alias", front("name: a", "recall: *undef"), {"keywords": ("*undef",)}, [("yaml-alias", 3)]),
    ("P16 issue number", front("name: a", "description: fix issue #12 in the parser"), {"summary": "fix issue"},
     [("value-comment", 3)]),
    ("P16 keycap", front("name: a", "description: #\ufe0f\u20e3 keycap list"), {"summary": ""},
     [("value-comment", 3)]),
    ("P16 inside a word", front("name: a", "description: C# and F# notes, see#12"),
     {"summary": "C# and F# notes, see#12"}, []),
    ("P16 a second line", front("name: a", "description: one", "  two # gone"), {"summary": "one two"},
     [("value-comment", 4)]),
    ("P16 whole-line comment", front("# mine", "name: a", "recall: [x] # fine"), {"keywords": ("x",)}, []),
    ("P17 bad escape", front("name: a", r'description: "C:\Users\me\notes"'), {"summary": r"C:\Users\me\notes"},
     [("yaml-backslash", 3)]),
    ("P17 silent escape", front("name: a", r'description: "D:\temp\new"'), {}, [("value-control", 3)]),
    ("P17 drive and line break", front("name: a", r'description: "see C:\new"'), {}, [("value-control", 3)]),
    ("P17 line breaks that are meant", front("name: a", r'description: "one\ntwo"'), {"summary": "one\ntwo"}, []),
    ("P17 regex", front("name: a", r'recall: ["\bfoo\b", "a\d+"]'), {"keywords": (r"\bfoo\b", r"a\d+")},
     [("yaml-backslash", 3)]),
    ("P17 keyword", front(r'recall: ["\tgit"]'), {"keywords": ("git",)}, [("value-control", 2)]),
    ("P19 folded", front("name: a", "description:", "  Expert review.", "  Second line."),
     {"summary": "Expert review. Second line."}, []),
    ("P19 no indent", front("name: a", "description: line one", "line two without indent"),
     {"summary": "line one line two without indent"}, [("yaml-indent", 4)]),
    ("P19 example", front("name: a", "description: first", "  Example: second"),
     {"summary": "first Example: second"}, [("yaml-colon", 4)]),
    ("P20 norway", front("name: no", "recall: [no, on, off, yes, y, n, NO, true]"),
     {"title": "no", "keywords": ("no", "on", "off", "yes", "y", "n", "true")}, []),
    ("P22 dates", front("name: 2026-07-01", "metadata:", "  type: user", "  updated: 2026-08-02",
                        "modified: 2026-08-04T16:04:24.602Z", "created: 2026-08-04 10:00", "date: 26-07-26"),
     {"title": "2026-07-01", "type": "user", "updated": "2026-08-04"}, [("date-invalid", 8)]),
    ("P23 year nought", front("name: a", "updated: 0000-00-00"), {"title": "a", "updated": None},
     [("date-invalid", 3)]),
    ("P23 february", front("name: a", "updated: 2026-02-30", "date: 2026-01-02"), {"updated": "2026-01-02"},
     [("date-invalid", 3)]),
    ("P25 twice", front("name: a", "recall: [git, docker]", "recall: [ci]"), {"keywords": ("git", "docker", "ci")},
     [("duplicate-key", 4)]),
    ("P25 other case", front("name: a", "Recall: [x]", "recall: [y]"), {"keywords": ("y",)}, [("key-case", 3)]),
    ("P25 only the other case", front("name: a", "Recall: [x]"), {"keywords": ("x",)}, [("key-case", 3)]),
    ("P26 bomb", front("a: &a [x,x]", "b: &b [*a,*a]"), {"body": "Body text.\n"}, [("yaml-alias", 2)]),
    ("P26 circle", front("recall: &a [x, *a]"), {"keywords": ()}, [("yaml-alias", 2)]),
    ("P26 ampersands in prose", front("name: R&D & more", "recall: [a & b, AT&T]"),
     {"title": "R&D & more", "keywords": ("a & b", "AT&T")}, []),
    ("P28 long number", front("name: a", "x: " + "9" * 5000), {"title": "a"}, []),
    ("P28 deep", front("name: a", "recall: [b]", "x: " + "[" * 2000), {"title": "a", "keywords": ("b",)},
     [("frontmatter-too-deep", 4)]),
    ("P28 nested", front("name: a", "x: " + "[" * 50 + "]" * 50), {"title": "a"}, [("frontmatter-too-deep", 3)]),
    ("P28 many values", front("name: a", "x: [" + "1," * 6000 + "]"), {"title": "a"}, [("frontmatter-too-deep", 3)]),
    ("P28 large", front("recall: [b]", "x: " + "y" * 70000), {"keywords": ("b",)}, [("frontmatter-too-large", 2)]),
    ("P29 tab in a list", front("name: a", "recall:", "\t- git"), {"keywords": ("git",)}, [("yaml-tab", 4)]),
    ("P29 tab in a mapping", front("name: a", "metadata:", "\ttype: user"), {"type": "user"}, [("yaml-tab", 4)]),
    ("P29 tabs elsewhere", front("name:\ta", "recall: [git,\tdocker]\t"), {"keywords": ("git", "docker")}, []),
    ("P31 zero-width key", front("name: a", "re\u200bcall: [git]"), {"keywords": ()}, [("key-invisible", 3)]),
    ("P31 no-break indent", front("name: a", "\xa0recall: [git]"), {"keywords": ()}, [("key-invisible", 3)]),
    ("P31 no-break blank", front("name: a", "recall:\xa0[git]"), {"keywords": ("git",)}, [("yaml-space", 3)]),
    ("P31 keywords", front("name: a", 'recall: [g\u200bit, "git\xa0add", "\u202egit"]'),
     {"keywords": ("git", "git add")}, [("bidi-character", 3)]),
    ("P31 joiner that is needed", front("recall: [\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645]"),
     {"keywords": ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",)}, []),
    ("P31 full width", front("recall: [\uff47\uff49\uff54]"), {"keywords": ("git",)}, []),
    ("P32 number as key", front("name: a", "1: one"), {"title": "a"}, [("key-not-text", 3)]),
    ("P32 boolean as key", front("name: a", "no: two"), {"title": "a"}, [("key-not-text", 3)]),
    ("P32 date as key", front("name: a", "2026-01-01: x"), {"title": "a"}, [("key-not-text", 3)]),
    ("P32 null as key", front("name: a", "null: x"), {"title": "a"}, [("key-not-text", 3)]),
    ("P35 commas", front("recall: git, docker, CI pipeline"), {"keywords": ("git", "docker", "CI pipeline")},
     [("recall-is-text", 2)]),
    ("P35 blanks", front("recall: git docker ci"), {"keywords": ("git docker ci",)}, [("recall-is-text", 2)]),
    ("P35 one word", front("recall: git"), {"keywords": ("git",)}, []),
    ("P37 block item", front("recall:", "  - #git", "  - docker"), {"keywords": ("docker",)}, [("value-comment", 3)]),
    ("P37 flow item", front("name: a", "recall: [git, #docker, ci]", "type: user"),
     {"keywords": ("git", "docker", "ci"), "type": "user"}, [("yaml-comment", 3)]),
    ("P37 quoted", front('recall: ["#git", C#, F#]'), {"keywords": ("git", "C#", "F#")}, []),
    ("P38 nested", front("name: a", "contradicts: [[Git Notes]]"), {"contradicts": ("Git Notes",)},
     [("wikilink-unquoted", 3)]),
    ("P38 two", front("name: a", "related: [[A]], [[B]]"), {"title": "a"}, [("yaml-brackets", 3)]),
    ("P38 quoted", front('contradicts: ["[[a.md]]", b.md]'), {"contradicts": ("[[a.md]]", "b.md")}, []),
    ("P40", front("recall: [404, 2026, true, 2026-07-01, git]"),
     {"keywords": ("404", "2026", "true", "2026-07-01", "git")}, []),
    ("P41 comma in quotes", front('recall: [git add, git commit -m "x, y", rm -rf]'),
     {"keywords": ("git add", 'git commit -m "x', 'y"', "rm -rf")}, [("keyword-quote", 2), ("keyword-quote", 2)]),
    ("P41 literals", front("recall: [a|b, (x), ^foo$, x+, a.*b]"), {"keywords": ("a|b", "(x)", "^foo$", "x+", "a.*b")},
     []),
    ("P41 class", front("name: a", "recall: [[0-9]+, x]"), {"keywords": ("[0-9]+", "x")}, [("yaml-brackets", 3)]),
    ("P41 index", front("name: a", "recall: [foo[0], b]"), {"keywords": ("foo[0]", "b")}, [("yaml-brackets", 3)]),
    ("P41 braces", front("name: a", "recall: [f{}, b]"), {"keywords": ("f{}", "b")}, [("yaml-brackets", 3)]),
    ("P41 question", front("name: a", "recall: [?, a]"), {"keywords": ("?", "a")}, [("yaml-brackets", 3)]),
    ("P41 options", front("recall: [--force, -x, 100%]"), {"keywords": ("--force", "-x", "100%")}, []),
    ("P43", front("recall: [C++, C#, .NET, node.js, /deploy]"),
     {"keywords": ("C++", "C#", ".NET", "node.js", "/deploy")}, []),
    ("P47", "---\nname: a\nbad: x: y\n---\nB\n", {"title": "a"}, [("yaml-colon", 3)]),
    ("P47 blank lines", "\n\n---\n\n\nname: a\nbad: x: y\n---\nB\n", {"title": "a", "body_line": 9},
     [("yaml-colon", 7)]),
    ("P49 top", front("name: a", "type: feedback"), {"type": "feedback"}, []),
    ("P49 nested", front("name: a", "metadata: ", "  node_type: memory", "  type: feedback"), {"type": "feedback"}, []),
    ("P49 conflict", front("name: a", "metadata:", "  type: user", "type: feedback"), {"type": "feedback"},
     [("type-conflict", 5)]),
    ("P49 text", front("name: a", "metadata: feedback"), {"type": ""}, [("metadata-not-mapping", 3)]),
    ("P49 list", front("name: a", "metadata: [type, feedback]"), {"type": ""}, [("metadata-not-mapping", 3)]),
    ("P49 unknown type", front("type: Runbook", "title: Setup"), {"type": "Runbook", "title": "Setup"}, []),
    ("P53", "---\nname: a\n# comment: x\n---\n```sh\n# install first\n```\n\nReal Title\n==========\n\n# Later\n",
     {"title": "Real Title"}, []),
    ("P55", front("name: settings-surface"), {"title": "settings-surface", "slug": "settings-surface"}, []),
    ("P56", '---\nname: "a"\n# keep me\n---\n\n    code first\n\n', {"body": "\n    code first\n\n"}, []),
    ("H15 blank", front('recall: [""]'), {"keywords": ()}, [("keyword-empty", 2)]),
    ("H15 blanks", front('recall: ["  ", git]'), {"keywords": ("git",)}, [("keyword-empty", 2)]),
    ("H15 trailing dash", front("recall:", "  - git", "  -"), {"keywords": ("git",)}, [("keyword-empty", 4)]),
    ("H15 null", front("recall:"), {"keywords": ()}, [("keyword-empty", 2)]),
    ("H15 empty list", front("recall: []"), {"keywords": ()}, []),
    ("H52 colon", front("title: Re: deploy notes", "recall: [deploy]"),
     {"title": "Re: deploy notes", "keywords": ("deploy",)}, [("yaml-colon", 2)]),
    ("H52 hash in brackets", front("title: x (paper #1)", "recall: [a]"), {"keywords": ("a",)},
     [("value-comment", 2)]),
    ("H53", front("recall: [no, on, 2024, 1.20, 12:30, 2024-01-02, 0x1F, ~, ci: cd]"),
     {"keywords": ("no", "on", "2024", "1.20", "12:30", "2024-01-02", "0x1F", "ci: cd")},
     [("keyword-empty", 2), ("keyword-mapping", 2)]),
    ("G51 content", front("name: a", "content: x", "handler: y"), {"title": "a"}, []),
    ("G51 scalars", front("name: a", "v: 1.10", "w: .nan"), {"title": "a"}, []),
    ("G51 set", front("name: a", "x: !!set {a, b}"), {"title": "a"}, [("yaml-tag", 3)]),
    ("G51 tag on a text", front("name: !todo fix"), {"title": "!todo fix"}, [("yaml-tag", 2)]),
    ("merge key", front("name: a", "<<: {recall: [b]}"), {"keywords": ()}, []),
    ("mapping as key", front("name: {{ title }}", "recall: [b]"), {"keywords": ("b",)}, [("yaml-key", 2)]),
    ("open quote", front("name: 'don't push", "recall: [b]"), {"keywords": ("b",)}, [("yaml-quote", 2)]),
    ("quote that never closes", front('name: "a', "recall: [b]"), {"keywords": ("b",)}, [("yaml-quote", 2)]),
    ("list not closed", front("name: a", "recall: [b, c"), {"keywords": ()}, [("yaml-brackets", 3)]),
    ("keywords in a mapping", front("recall: {a: b}"), {"keywords": ()}, [("recall-not-list", 2)]),
    ("keywords in lists", front("recall: [a, [b, [c]]]"), {"keywords": ("a", "b", "c")},
     [("keyword-nested", 2), ("keyword-nested", 2)]),
    ("misspelt", front("name: a", "recalls: [b]"), {"keywords": ()}, [("key-misspelt", 3)]),
    ("line separators are text", front("name: a\u2028b\x85c", "bad: x: y"), {}, [("yaml-colon", 3)]),
    ("control character", front("name: a\x07b", "recall: [c]"), {"keywords": ("c",)}, [("yaml-control", 2)]),
    ("conflict in the frontmatter", front("<<<<<<< HEAD", "recall: [a]", "=======", "recall: [b]", ">>>>>>> x"),
     {"keywords": ("a", "b")}, [("conflict-markers", 2)]),
    ("conflict in the body", "---\nname: a\n---\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> z\n", {},
     [("conflict-markers", 4)]),
    ("frontmatter further down", "# Title\n\n---\nrecall: [a]\n---\n", {"keywords": ()},
     [("frontmatter-not-first", 3)]),
    ("frontmatter without a fence", "recall: [a]\n\nBody\n", {"keywords": ()}, [("frontmatter-not-opened", 1)]),
    ("an example of frontmatter", "# Title\n\n```\n---\nrecall: [a]\n---\n```\n", {"title": "Title"}, []),
]


@pytest.mark.parametrize("data, fields, wanted", [case[1:] for case in READ], ids=[case[0] for case in READ])
def test_a_reported_page(data, fields, wanted):
    page, findings = read(data)
    assert codes(findings) == wanted
    assert {name: getattr(page, name) for name in fields} == fields


LEFT_OUT = [
    ("P04 never closed", "---\nname: a\ndescription: d\n\n# Title\nBody\n", "frontmatter-not-closed", 1),
    ("P04 closed by an underline", "---\nname: a\n\nSection title\n---\n\nMore text.\n", "frontmatter-not-closed", 1),
    ("P04 closed by a rule", "\n---\nname: a\n\nSome prose\nand more.\n\n---\nx\n", "frontmatter-not-closed", 2),
    ("P07 text behind the closing dashes", "---\nname: a\n--- x\nBody\n", "frontmatter-not-closed", 1),
    ("P34 latin-1", b"---\nname: caf\xe9\n---\nBody\n", "not-utf8", 2),
    ("P34 utf-16", "---\nname: a\n".encode("utf-16"), "not-utf8", 1),
    ("P34 utf-16 without a mark", "---\nname: a\n".encode("utf-16-le"), "not-text", 1),
]


@pytest.mark.parametrize("data, code, line", [case[1:] for case in LEFT_OUT], ids=[case[0] for case in LEFT_OUT])
def test_a_page_that_has_to_be_left_out(data, code, line):
    page, findings = read(data)
    assert page is None
    assert codes(findings) == [(code, line)]


def message(data):
    _, findings = read(data)
    return findings[0].message, findings[0].fix


def test_messages_say_what_the_author_can_do():
    assert message("---\nname: a\n\nSection\n---\n\nMore.\n") == (
        "frontmatter opened at line 1 is never closed", "add a line `---` after line 2")
    assert message("---\nname: a\n--- x\nBody\n")[1] == "write `---` and nothing else on line 3"
    assert "byte offset 13" in message(b"---\nname: caf\xe9\n---\n")[0]
    assert message(front("recall: *undef"))[1] == "quote values that start with *"
    assert message(front(r'name: "C:\Users"'))[1] == "use single quotes for backslashes"
    assert "text after # is a YAML comment" in message(front("description: fix #12"))[0]
    assert "# starts a comment" in message(front("recall: [a, #b]"))[0]
    assert "tab used for indentation" in message(front("recall:", "\t- a"))[0]
    assert "second frontmatter block at line 4" in message("---\nname: a\n---\n---\nname: b\n---\n")[0]
    assert "unknown key with invisible character U+200B" in message(front("name: a", "re\u200bcall: [a]"))[0]
    assert "on lines 2 and 4" in message(front("recall: [a]", "name: b", "recall: [c]"))[0]
    assert "undefined alias" not in message(front("recall: *undef"))[0]


def test_an_error_quotes_the_line_and_names_the_field():
    text, _ = message(front("name: a", "recall: [foo[0], b]"))
    assert text.startswith("`recall`: ") and "recall: [foo[0], b]" in text


def test_an_error_in_a_long_line_quotes_the_place_not_the_beginning():
    text, _ = message(front("description: " + "word " * 60 + "so: here"))
    assert "so: here" in text


def test_an_error_says_when_the_keywords_are_lost():
    text, _ = message(front("name: a", "recall: [b, c"))
    assert "keywords cannot be read" in text


def test_no_page_takes_another_down():
    for _, data, *_ in READ + LEFT_OUT:
        page, findings = read(data)
        assert page is not None or findings
        assert "page-failed" not in [finding.code for finding in findings]


ABCD = """---
source:
  class: session_memory
  recall: [token, auth]
  ingested_at: 2026-03-04
recall: [login, Auth]
contradicts: [pitfall_auth_old]
---

# Auth tokens expire
Body
"""


def test_abcd_dialect():
    page, findings = read(ABCD, "pitfall_auth_tokens_v2.md")
    assert findings == []
    assert (page.dialect, page.type, page.domain, page.slug) == ("abcd", "pitfall", "auth", "tokens_v2")
    assert (page.title, page.source_class, page.updated) == ("Auth tokens expire", "session_memory", "2026-03-04")
    assert page.keywords == ("login", "Auth", "token")
    assert page.contradicts == ("pitfall_auth_old",)
    assert (page.lines["recall"], page.lines["contradicts"], page.body_line) == (6, 7, 9)


def test_abcd_page_of_several_sources():
    page, _ = read(front("source:", "  classes: [external_pdf, work_notes]"), "a_b_c.md")
    assert page.source_class == "external_pdf+work_notes"


def test_a_source_that_is_a_path_is_no_abcd_page():
    page, findings = read(front("source: Brain/Runbooks/Validation.md", "updated: 2026-04-13"))
    assert (page.dialect, page.updated, findings) == ("plain", "2026-04-13", [])


AGENT = """---
name: no-emoji
description: Never use emoji in the UI
metadata:
  type: feedback
  updated: 2026-05-01
  recall: [emoji]
exclude: [chat]
---
Rule.

## How to apply
x

## History
- 2026-06-30: superseded
- 2026-02-31: no such day

## After
- 2027-01-01
"""


def test_agent_dialect():
    page, findings = read(AGENT)
    assert findings == []
    assert (page.dialect, page.type, page.title, page.slug) == ("agent", "feedback", "no-emoji", "no-emoji")
    assert (page.summary, page.updated) == ("Never use emoji in the UI", "2026-06-30")
    assert (page.keywords, page.exclude) == (("emoji",), ("chat",))


@pytest.mark.parametrize("body, title", [
    ("# Title #\n", "Title"),
    ("## Top of the page\n", "Top of the page"),
    ("\n\n### Also   top\n", "Also top"),
    ("<!-- # no -->\n<!--\n# no\n-->\n## Yes\n", "Yes"),
    ("~~~\n# no\n~~~\n# Yes\n", "Yes"),
    ("> ```\n> # no\n> ```\n# Yes\n", "Yes"),
    ("Intro.\n\n# Title below\n", "Title below"),
    ("Intro.\n\n## Only a part\n", "given"),
    ("## History\n- 2026-01-01\n", "given"),
    ("Setext\n---\nx\n", "Setext"),
    ("- item\n---\nx\n", "given"),
    ("two lines\nof text\n===\n", "given"),
    ("#no heading\n#\n", "given"),
    ("    # code\n", "given"),
    ("text\n", "given"),
])
def test_titles(body, title):
    page, _ = read(f"---\nname: given\n---\n{body}")
    assert page.title == title


def test_a_title_field_comes_before_the_name():
    page, _ = read(front("name: slug", "title: A Title"))
    assert (page.title, page.slug) == ("A Title", "slug")


def test_without_name_or_heading_the_stem_is_the_title():
    assert read("Text\n", "deploy-guide.MD")[0].title == "deploy-guide"


@pytest.mark.parametrize("text, day", [
    ("2026-07-01", "2026-07-01"),
    ("2026-7-1", "2026-07-01"),
    ("2026/07/01", "2026-07-01"),
    ("2026-07-01 23:30", "2026-07-01"),
    ("2026-07-01T23:30:00+02:00", "2026-07-01"),
    ("2026-07-01T23:30:00-0200", "2026-07-02"),
    ("2026-07-01T00:30:00.602Z", "2026-07-01"),
    ("'2026-07-01'", "2026-07-01"),
    ("0001-01-01T00:00:00+05:00", None),
    ("2026-W01-1", None),
    ("26-07-26", None),
    ("yesterday", None),
    ("[2026-07-01]", None),
])
def test_dates(text, day):
    page, findings = read(front("name: a", f"updated: {text}"))
    assert page.updated == day
    assert codes(findings) == ([] if day else [("date-invalid", 3)])


def test_salvage_reads_no_more_than_it_can():
    page, findings = read(front("name: a", "bad: x: y", "metadata:", "  type: user", "  inner:",
                                "    updated: 2020-01-01", "supersedes: [old.md]", "recall: 'x, y'"))
    assert codes(findings) == [("yaml-colon", 3), ("recall-is-text", 9)]
    assert (page.type, page.updated, page.supersedes, page.keywords) == ("user", None, ("old.md",), ("x", "y"))
