"""What is suggested as a keyword: bare names first, and nothing that nobody types or everybody types."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import placed

from abcd_index.scopes import Places
from abcd_index.search.candidates import candidates
from abcd_index.search.corpus import open_corpus
from abcd_index.search.suggest import Suggester
from abcd_index.selector import select
from abcd_index.store.offered import Offered, offered
from abcd_index.text.everyday import is_everyday
from abcd_index.text.plain_words import FUNCTION
from abcd_index.text.porter import STOP, analyse


def suggested(sandbox, pages, name):
    """The keywords suggested for one of the pages."""
    root = sandbox.repo(pages=pages)
    with placed(sandbox, root):
        places = Places()
        scope = select(str(root), "workspace", places)[0]
        with open_corpus(scope, places) as corpus:
            document = next(one for one in corpus.documents() if one.file == name)
            return [one.keyword for one in Suggester(corpus).suggest(document)]


STORE = {
    "pgbouncer.md": "# PgBouncer drops prepared statements\n\nIn transaction mode PgBouncer gives every statement another "
                    "connection, so `prepared statement \"s1\" does not exist` comes back. Turn prepared statements off in "
                    "the driver, or run PgBouncer in session mode.\n",
    "terraform.md": "---\nname: terraform-state-lock\ndescription: What to do when the Terraform state is locked\n---\n\n"
                    "A run that was killed keeps the lock in DynamoDB. `terraform force-unlock` takes it away; ask first who "
                    "is running. Terraform prints the lock's id.\n",
    "conventional.md": "# Commit message rules\n\nEvery commit message follows Conventional Commits. A commit message has a "
                       "scope. The commit message is English.\n",
    "espanol.md": "# El despliegue de los viernes\n\nNo se hace el despliegue de la tienda los viernes porque nadie queda de "
                  "guardia. El despliegue se hace con Ansible, y lo que se queda sin hacer se hace el lunes. Se avisa de "
                  "cada despliegue.\n",
    "chinese.md": "# 发布流程\n\n发布前先检查版本号。发布分支由值班同事创建，发布后通知运维。版本号写在配置中心。\n",
    "noise.md": "# Release 2.4.1 of 2026-09-20\n\nBuilt on September 20th from 9fceb02d0ae598e95dc970b74767f19372d61af8 in "
                "300ms, see [the release notes](https://example.org/x/y) and [changes][1]. Colour #34c759. v2.4.1 needs "
                "Node 20.\n\n[1]: https://example.org/changes\n",
}


@pytest.mark.parametrize("page, wanted", [
    ("pgbouncer.md", "PgBouncer"), ("terraform.md", "terraform"), ("conventional.md", "commit message"),
    ("espanol.md", "despliegue"), ("chinese.md", "发布")])
def test_the_bare_name_of_what_a_page_is_about_comes(sandbox, page, wanted):
    assert wanted in suggested(sandbox, STORE, page)[:3]


def test_an_error_that_a_page_quotes_is_suggested(sandbox):
    page = "# Uploads\n\nAn upload of more than 4 MB ends in `RequestEntityTooLarge`. The proxy raises " \
           "RequestEntityTooLarge before our code sees it.\n"
    assert "RequestEntityTooLarge" in suggested(sandbox, {"u.md": page}, "u.md")


@pytest.mark.parametrize("page", ["noise.md", "espanol.md"])
def test_nothing_is_suggested_that_nobody_types(sandbox, page):
    for word in suggested(sandbox, STORE, page):
        assert word.lower() not in FUNCTION | STOP, word
        assert not re.search(r"\d{3}|20th|http|example|9fceb|2\.4|34c7", word), word


def test_a_word_in_two_spellings_is_suggested_once(sandbox):
    page = "# WireGuard\n\nThe wireguard tunnel: WireGuard keys, `wireguard.conf`, wire-guard.\n"
    spelled = [word.replace("-", "").lower() for word in suggested(sandbox, {"vpn.md": page}, "vpn.md")]
    assert spelled.count("wireguard") == 1


TAGGED = "---\ntitle: Nightly backup\naliases: [Restic]\ntags: [infra/backups, work, gotcha]\n---\n\nThe backup runs at two.\n"


def test_aliases_and_tags_are_offered_first(sandbox):
    pages = {"backup.md": TAGGED, **{f"n{number}.md": f"---\ntags: [work]\n---\n\nNote number {number} on trees.\n" for number in range(6)}}
    found = suggested(sandbox, pages, "backup.md")
    # `work` is everybody's tag, `gotcha` says what kind of page it is.
    assert found[:2] == ["Restic", "backups"] and not {"work", "gotcha"} & set(found)


@pytest.mark.parametrize("text, wanted", [
    (TAGGED, Offered(("Restic",), ("backups", "work", "gotcha"))),
    ("---\nalias: A b, C\ntags: '#x #y/z'\n---\n", Offered(("A b", "C"), ("x", "z"))),
    ("---\nTags:\n  - a b\nkeywords: c, d\n---\n", Offered((), ("a b", "c", "d"))),
    ("# 7. Use Postgres\n\n* Status: accepted\n* Tags: db, storage\n", Offered((), ("db", "storage"))),
    ("---\ntags: {a: b}\naliases: 3\n---\n", Offered(("3",), ())), ("no frontmatter\n", Offered()), ("---\ntags: [\n---\n", Offered()),
])
def test_what_an_author_wrote_down_for_other_tools(text, wanted):
    assert offered(text.encode()) == wanted


@settings(max_examples=150, deadline=None)
@given(st.text(), st.text(), st.one_of(st.text(), st.text(alphabet="aA1.-_# `*[]()的库\n", max_size=80)))
def test_of_any_page_no_candidate_says_nothing(title, description, body):
    for one in candidates("", title, description, body).values():
        assert one.spelled.strip() and one.times > 0 and one.stems
        words = one.spelled.lower().split()
        assert not all(word in STOP or word in FUNCTION for word in words) or one.spelled.isupper()
        assert len(words) > 1 or not all(map(is_everyday, analyse(one.spelled)))


@given(st.binary(max_size=200))
def test_any_bytes_can_be_asked_for_what_they_offer(data):
    offered(b"---\ntags: [" + data + b"]\n---\n")
    offered(data)
