"""In which form each page and rule comes: the brackets, the limits, and what the session has seen.

Prompt path, loaded only when something matched. Takes candidates in their order and spends the room that
the bracket gives; what does not fit whole comes as a line, and every verdict carries its reason.
"""

from abcd_index.recall import render
from abcd_index.recall.fill import DEPLETED, FRESH, MODERATE
from abcd_index.recall.fresh import CHANGED, GONE, Watch
from abcd_index.recall.ledger import FULL, HEAD, LINE
from abcd_index.recall.rank import candidates, signature

# In MODERATE a page comes whole only if it is at least this near to the best one.
NEAR_BEST = 0.5
# Room that whole pages leave for the lines of the others, as a share of the limit.
LINES_SHARE = 6
ORDER = {FULL: "full", HEAD: "head", LINE: "line", 0: "none"}


class Rules:
    """A rules domain that matched. ``asked``: by ``*NAME``. ``form`` and ``why``: the verdict."""

    __slots__ = ("source", "number", "record", "hits", "asked", "signature", "form", "why")

    def __init__(self, source, number, record, hits, asked):
        self.source = source
        self.number = number
        self.record = record
        self.hits = hits
        self.asked = asked
        self.signature = signature(source, "domains", number, "*" + record["name"])
        self.form = "none"
        self.why = ""

    @property
    def words(self):
        """The keywords that matched, as the domain first spells them."""
        recall = self.record["recall"]
        words = ["*" + self.record["name"]] if self.asked else []
        return words + [recall.get(hit.normal, hit.normal) for hit in self.hits]

    @property
    def path(self):
        """The rules file as a reader would open it."""
        return self.source.scope.display("rules.json")


class Choice:
    """What a prompt gets. ``text``: the block or ''. ``marks``: [(signature, form)] of what is in it.
    ``pages``: Candidates in order, then those passed over. ``rules``: Rules. ``stale``: scopes to rebuild.
    ``more``: pages that match beyond the candidates."""

    __slots__ = ("text", "marks", "pages", "rules", "stale", "more")

    def __init__(self):
        self.text = ""
        self.marks = []
        self.pages = []
        self.rules = []
        self.stale = []
        self.more = 0


class Room:
    """What is left of a limit, in the host's measure."""

    __slots__ = ("left", "by_bytes")

    def __init__(self, left, by_bytes):
        self.left = left
        self.by_bytes = by_bytes

    def cost(self, text):
        """What ``text`` would take."""
        return render.cost(text, self.by_bytes)

    def take(self, text, keep=0):
        """Take room for ``text`` if it is there and leaves ``keep``."""
        took = self.cost(text)
        if took > self.left - keep:
            return False
        self.left -= took
        return True


def choose(prompt, sources, bracket, ledger, settings, excluded, by_bytes=False, explain=False):
    """The Choice for a prompt whose keywords matched in ``sources``."""
    choice = Choice()
    limits = settings["limits"]
    limit = min(limits["context"], render.MOST)
    if bracket != FRESH:
        limit = min(limit, limits["moderate" if bracket == MODERATE else "depleted"])
    head = render.OPEN % bracket + render.INTRO
    room = Room(max(limit, 200) - len(head) - len(render.CLOSE), by_bytes)
    # In DEPLETED a line is all that a page can be, so one that was a line has nothing left to send.
    nothing_left = LINE if bracket == DEPLETED else FULL
    taken, passed, choice.more = candidates(prompt, sources, ledger, excluded, nothing_left, explain)
    choice.rules = _rules(prompt, sources, ledger, excluded)
    blocks = _write_rules(choice, room, min(limits["rules"], room.left // 2 if taken else room.left))
    watches = {}
    here = []
    for candidate in taken:
        (here if _is_here(candidate, watches) else passed).append(candidate)
    blocks += _write_pages(choice, here, bracket, room)
    for watch in [watches[order] for order in sorted(watches)]:
        watch.close()
        if watch.stale:
            choice.stale.append(watch.scope)
    choice.pages = here + passed
    if blocks:
        choice.text = head + "".join(blocks) + render.CLOSE
    return choice


def _is_here(candidate, watches):
    source = candidate.source
    watch = watches.get(source.order)
    if watch is None:
        watch = watches[source.order] = Watch(source.scope, source.artefact)
    candidate.state = watch.state(candidate.page, candidate.record["file"])
    if candidate.state == GONE:
        candidate.why = "the file is gone since the artefact was built"
    return candidate.state != GONE


def _write_pages(choice, here, bracket, room):
    """The blocks of the pages: whole ones, then lines, both best first."""
    whole, lines = [], []
    waiting = [candidate for candidate in here if candidate.seen < LINE]
    costs = {id(candidate): room.cost(_line(candidate)) for candidate in waiting}
    reserve = sum(costs.values())
    most = len(here) if bracket == FRESH else max(1, len(here) // 2)
    for candidate in here:
        own = costs.get(id(candidate), 0)
        block, form = "", 0
        if _may_be_whole(candidate, here[0], bracket, len(whole), most):
            keep = min(reserve - own, (room.left + sum([room.cost(b) for b in whole])) // LINES_SHARE)
            block, form = _whole(candidate, room, keep, not whole)
        if form:
            whole.append(block)
            reserve -= own
            _sent(choice, candidate, form)
    for candidate in here:
        if candidate.form != "none" or candidate.seen >= LINE:
            if candidate.form == "none":
                candidate.why += "; the session has its line already"
            continue
        if _add_line(candidate, lines, room):
            _sent(choice, candidate, LINE)
        else:
            candidate.why += "; no room was left for its line"
    left = choice.more + sum([c.form == "none" and c.seen < LINE for c in here])
    if left and lines:
        note = "(%d more page%s match%s)\n" % (left, "" if left == 1 else "s", "es" if left == 1 else "")
        if room.take(note):
            lines.append(note)
    return whole + lines


def _may_be_whole(candidate, best, bracket, count, most):
    """Whether the bracket lets this page come with its text; ``why`` says why not."""
    if bracket == DEPLETED:
        candidate.why = "under the DEPLETED threshold only lines come"
    elif candidate.state == CHANGED:
        candidate.why = "the page changed since the artefact was built"
    elif candidate.newer:
        candidate.why = "%s contradicts or supersedes it" % candidate.newer
    elif candidate.weak:
        candidate.why = "its keywords are only in pasted text"
    elif bracket == MODERATE and candidate is not best and (
            count >= most or candidate.total < NEAR_BEST * best.total):
        candidate.why = "in MODERATE only the most relevant pages come whole"
    else:
        return True
    return False


def _whole(candidate, room, keep, first):
    """(block, form) of a page with its text: whole, or as its head when it is the best and does not fit."""
    record = candidate.record
    head = render.page_header(record["title"], candidate.path, candidate.source.scope.name, candidate.words,
                              record["updated"])
    space = room.left - keep - room.cost(head)
    body = None
    if record["size"] <= space:
        body = candidate.source.artefact.body(candidate.page)
        text = render.page_body(body)
        if room.take(head + text, keep):
            candidate.why = "it fits whole"
            return head + text, FULL
    candidate.why = "its %d characters did not fit" % record["size"]
    if not first or candidate.seen >= HEAD:
        return "", 0
    if body is None:
        body = candidate.source.artefact.body(candidate.page)
    text = render.page_head(body, candidate.path, space, room.by_bytes)
    if text and room.take(head + text, keep):
        candidate.why += ", so its beginning came"
        return head + text, HEAD
    return "", 0


def _line(candidate):
    """The page's catalogue line with what must be said about it."""
    remarks = []
    if candidate.source.scope.name != "workspace":
        remarks.append(candidate.source.scope.name)
        remarks.append(candidate.source.scope.shown)
    if candidate.newer:
        remarks.append("a newer page speaks against it: " + candidate.newer)
    if candidate.state == CHANGED:
        remarks.append("changed since it was indexed")
    return render.page_line(candidate.record["line"], remarks)


def _add_line(candidate, lines, room):
    text = _line(candidate)
    if not lines and room.cost(text) > room.left:
        # A match never brings nothing: the best one's line is cut rather than dropped.
        text = text[:render.whole(text, max(0, room.left // 3 - 5))].rstrip() + " ...\n"
    if not room.take(text):
        return False
    lines.append(text)
    return True


def _sent(choice, candidate, form):
    candidate.form = ORDER[form]
    choice.marks.append((candidate.signature, form))


def _rules(prompt, sources, ledger, excluded):
    """The domains that matched, those asked for by name first."""
    found = []
    for source in sources:
        asked = _asked(prompt, source)
        hits = {}
        for hit in source.hits:
            for number in hit.domains:
                hits.setdefault(number, []).append(hit)
        for number in sorted(set(hits) | asked, key=lambda n: (n not in asked, n)):
            rules = Rules(source, number, source.artefact.domain(number), hits.get(number, []), number in asked)
            found.append(rules)
            state = rules.record["state"]
            word = excluded(prompt, rules.record["exclude"]) if rules.record["exclude"] else ""
            if ledger is not None and rules.signature in ledger.seen:
                rules.why = "the session has them already"
            elif rules.asked:
                rules.form = "full"
            elif state != "active":
                rules.why = "the domain is %s; *%s brings it" % (state, rules.record["name"])
            elif word:
                rules.why = "the prompt says %r, which the domain excludes" % word
            else:
                rules.form = "full"
    return found


def _asked(prompt, source):
    """The domains that the prompt names with a star."""
    stars = [star.casefold() for star in prompt.stars]
    if not stars:
        return set()
    asked = set()
    for number in range(source.artefact.domains):
        record = source.artefact.domain(number)
        if any([name.casefold() in stars for name in [record["name"]] + record["aliases"]]):
            asked.add(number)
    return asked


def _write_rules(choice, room, share):
    blocks = []
    for rules in choice.rules:
        if rules.form != "full":
            continue
        text, left = render.rules_block(rules.record["name"], rules.path, rules.source.scope.name, rules.words,
                                        rules.record["rules"], min(share, room.left), room.by_bytes)
        if not text or not room.take(text):
            rules.form, rules.why = "none", "the rules' share of the limit is used up"
            continue
        share -= room.cost(text)
        rules.form = "head" if left else "full"
        rules.why = "%d of its rules did not fit the rules' share" % left if left else "it fits whole"
        choice.marks.append((rules.signature, FULL))
        blocks.append(text)
    return blocks
