"""One English: British spelling in docs, comments and docstrings."""

import ast
import io
import re
import tokenize

import pytest

from .markdown import ROOT, name, pages, split, without_code

AMERICAN = re.compile(
    r"\b(artifacts?|behaviors?|catalogs?|colors?|colored|favorites?|honors?|honored|neighbors?|centers?|centered|gray|"
    r"labeled|modeled|canceled|canceling|traveled|fulfill|defense|offense|license[sd]\b(?<=licensed)|"
    r"(?:normal|token|serial|organ|recogn|optim|summar|initial|minim|maxim|priorit|categor|emphas|synchron|random|"
    r"neutral|real|special|standard|visual)iz(?:e[sdr]?|ing|ation|ations|ers)|analyz(?:e[sdr]?|ing)|judgments?)\b",
    re.I)
# Names of other people's things keep their spelling.
NAMES = re.compile(r"upload-artifact|NO_COLOR|no-color\.org|normalize\(|additionalContext|tokenize\.|PRAGMA optimize")


def american(text):
    return [found.group(0) for found in AMERICAN.finditer(NAMES.sub("", text))]


@pytest.mark.parametrize("page", pages(), ids=name)
def test_docs_are_british(page):
    wrong = []
    for number, line in enumerate(without_code(split(page.read_text(encoding="utf-8"))[1]).split("\n"), 1):
        line = re.sub(r"\]\([^)]*\)", "]", line)
        wrong += [f"{name(page)}:{number}: {word}" for word in american(line)]
    assert not wrong, "\n".join(wrong)


def words_of(path):
    """(line, text) of each comment and docstring of a module; code itself keeps other people's names."""
    source = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield getattr(node, "lineno", 1), re.sub(r"`[^`]*`", "", ast.get_docstring(node))


@pytest.mark.parametrize("folder", ["abcd_index", "hooks", "benchmarks", "tests"])
def test_comments_and_docstrings_are_british(folder):
    wrong = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        if path.name == "test_english.py":
            continue
        for number, text in words_of(path):
            wrong += [f"{name(path)}:{number}: {word}" for word in american(text)]
    assert not wrong, "\n".join(wrong)


def test_the_check_finds_what_it_looks_for():
    assert american("The artifact is normalized; its color is gray.") == ["artifact", "normalized", "color", "gray"]
    assert not american("The artefact is normalised; its colour is grey. A catalogue, a licence.")
