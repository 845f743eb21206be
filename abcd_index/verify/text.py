"""Findings as lines for people: ``FILE:LINE: severity [code] what is wrong; what to do``."""

from abcd_index.verify.row import ERROR


def line_of(one, style=None):
    """The line of a Row. ``style(text, *names)`` colours it, where there is colour."""
    style = style or (lambda text, *names: text)
    where = one.file + (f":{one.line}" if one.line else "")
    colour = "red" if one.severity == ERROR else "yellow"
    fix = f"; {printable(one.fix)}" if one.fix else ""
    return (f"{style(printable(where), 'bold')}: {style(one.severity, colour)} [{one.code}] "
            f"{printable(one.message)}{style(fix, 'dim') if fix else ''}")


def printable(text):
    """``text`` with control characters made visible: a page's words must not drive the terminal."""
    return "".join(c if c.isprintable() or c == "\t" else _escape(c) for c in text)


def _escape(char):
    return char.encode("unicode_escape").decode("ascii")
