"""Findings as lines for people: ``FILE:LINE: severity [code] what is wrong; what to do``."""

from abcd_index.verify.finding import ERROR


def line_of(one, style=None):
    """The line of a Row. ``style(text, *names)`` colours it, where there is colour."""
    style = style or (lambda text, *names: text)
    where = one.file + (f":{one.line}" if one.line else "")
    colour = "red" if one.severity == ERROR else "yellow"
    fix = f"; {one.fix}" if one.fix else ""
    return (f"{style(where, 'bold')}: {style(one.severity, colour)} [{one.code}] "
            f"{one.message}{style(fix, 'dim') if fix else ''}")
