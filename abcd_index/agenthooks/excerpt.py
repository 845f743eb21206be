"""The beginning of a page that does not fit whole: cut at a paragraph, never inside a character or an open fence.

Prompt path, loaded only for such a page.
"""

from abcd_index.agenthooks.render import clean, cost, flat, listed, whole_characters

# A head shorter than this says too little to be worth its room.
SHORTEST = 200
MOST_LEFT_OUT = 6
# A page may be of megabytes; its headings are looked for in so many characters.
LOOKED_AT = 100000


def page_head(body, path, room, by_bytes=False):
    """The beginning of a page that does not fit, cut at a paragraph, with what was left out; '' if too little fits."""
    body = body.strip("\n").rstrip()
    # The note says how much was left out, so its room is taken off first, at its longest.
    room -= cost(_left_out(body, 0, path), by_bytes)
    # Text never takes less room than it has characters: what lies far behind the cut need not be looked at.
    end, fence = _cut(body[: 2 * max(room, 0) + 2], room, by_bytes)
    shown = body[:end].rstrip()
    if len(shown) < min(SHORTEST, len(body) // 2):
        return ""
    text = clean(shown) + "\n"
    if fence:
        text += fence + "\n"
    return text + _left_out(body, len(shown), path)


def _left_out(body, end, path):
    note = "(first %d of %d characters" % (end or len(body), len(body))
    headings = [h for h in _headings(body[:LOOKED_AT], end) if h]
    if headings:
        among = "" if len(body) <= LOOKED_AT else ", among others"
        note += "; left out%s: %s" % (among, listed(headings, MOST_LEFT_OUT))
    return note + "; the whole page: " + flat(path) + ")\n"


def _headings(body, start):
    """The headings of ``body`` from ``start`` on, outside of code fences."""
    fence = ""
    at = 0
    for line in body.split("\n"):
        fence = _fence_after(fence, line)
        if not fence and line.startswith("#") and at >= start:
            yield flat(line.lstrip("#"), 60)
        at += len(line) + 1


def _fence_after(fence, line):
    """The open code fence ('' for none) after ``line``."""
    stripped = line.strip()
    if fence:
        return "" if stripped.startswith(fence) and not stripped.strip(fence[0]) else fence
    for sign in "`~":
        if stripped.startswith(sign * 3):
            rest = stripped.lstrip(sign)
            if sign not in rest:
                return sign * (len(stripped) - len(rest))
    return ""


def _cut(body, room, by_bytes):
    """(where to cut, the fence to close or ''): after the last paragraph within ``room`` if that is most of it,
    else after a line, else within one."""
    used = at = 0
    fence = ""
    paragraph = line_end = 0
    line_fence = ""
    for line in body.split("\n"):
        took = cost(clean(line), by_bytes) + 1
        after = _fence_after(fence, line)
        heading = not fence and line.startswith("#")
        if (not line.strip() or heading) and not fence:
            # A heading whose text does not fit is left out with it.
            paragraph = at if not _ends_in_heading(body, at) else paragraph
        closing = len(after) + 1 if after else 0
        if used + took + closing > room:
            break
        used += took
        at += len(line) + 1
        fence = after
        line_end, line_fence = at, fence
        if heading:
            line_end, line_fence = paragraph, ""
    else:
        return len(body), ""
    if paragraph * 2 >= line_end and paragraph:
        return paragraph, ""
    if line_end * 2 >= room:
        return line_end, line_fence
    return _within(body, line_end, room - used, line_fence, by_bytes)


def _within(body, start, room, fence, by_bytes):
    """Cut inside the line that starts at ``start``: at a space if there is one near, never inside a character."""
    room -= len(fence) + 1 if fence else 0
    end = start + max(0, room)
    while end > start and cost(clean(body[start:end]), by_bytes) > room:
        end -= max(1, (end - start) // 16)
    space = body.rfind(" ", start, end)
    if space > start + (end - start) * 2 // 3:
        return space, fence
    return max(start, whole_characters(body, end)), fence


def _ends_in_heading(body, end):
    last = body[:end].rstrip().rpartition("\n")[2]
    return last.startswith("#")
