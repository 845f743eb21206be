"""``config.json`` of a scope -> settings with defaults, and what is wrong with the file.

The settings that shape what a prompt gets are written into the artefact's header, so that the prompt
path reads no further file.
"""

import copy

import orjson

from abcd_index.store.records import Finding

FILE = "config.json"

DEFAULTS = {
    "refresh_every": 15,
    "brackets": {"fresh": 70, "moderate": 40},
    "limits": {"context": 9000, "moderate": 3000, "depleted": 2000, "rules": 2500},
    "artefact": {"track": False, "keep": 5},
    "share": {"place": "", "fetch": False, "timeout": 60},
    # Folders outside of a scope's root in which its store may lie; only the user's own file counts (``scopes``).
    "stores": [],
}

# Inclusive bounds of every number.
BOUNDS = {
    "refresh_every": (0, 10000),
    "brackets.fresh": (0, 100),
    "brackets.moderate": (0, 100),
    "limits.context": (500, 9000),
    "limits.moderate": (200, 9000),
    "limits.depleted": (200, 9000),
    "limits.rules": (0, 9000),
    "artefact.keep": (1, 100),
    "share.timeout": (1, 3600),
}
# Characters of a text.
LONGEST = 1000


def defaults():
    """A fresh copy of the default settings."""
    return copy.deepcopy(DEFAULTS)


def read_settings(data):
    """(settings, findings) of the bytes of a ``config.json``; None for a file that is not there.

    A value that is not usable is named and its default taken; the other values still count.
    """
    settings = defaults()
    if data is None:
        return settings, []
    try:
        given = orjson.loads(data[3:] if data.startswith(b"\xef\xbb\xbf") else data)
    except orjson.JSONDecodeError as error:
        return settings, [_finding("settings-not-json", error.lineno, f"{error.msg}",
                                   "mend the JSON; until then the defaults hold")]
    if not isinstance(given, dict):
        return settings, [_finding("settings-not-json", 1, "the file is not a JSON object",
                                   "write an object: {\"refresh_every\": 15}")]
    findings = []
    _take(settings, given, "", data, findings)
    brackets = settings["brackets"]
    if brackets["moderate"] > brackets["fresh"]:
        findings.append(_finding("settings-value", _line(data, "brackets"),
                                 "brackets.moderate is above brackets.fresh", "give fresh the larger number"))
        settings["brackets"] = dict(DEFAULTS["brackets"])
    return settings, findings


def written_settings(settings):
    """The settings that the artefact's header holds: all that shape what a prompt gets."""
    return {name: settings[name] for name in ("brackets", "limits", "refresh_every")}


def _take(settings, given, prefix, data, findings):
    for name, value in given.items():
        known = settings.get(name)
        path = prefix + name
        if name not in settings:
            findings.append(_finding("settings-unknown", _line(data, name), f"there is no setting {path!r}",
                                     f"the settings here are: {', '.join(sorted(settings))}"))
        elif isinstance(known, dict):
            if isinstance(value, dict):
                _take(known, value, path + ".", data, findings)
            else:
                findings.append(_wrong(path, name, "an object", data))
        elif isinstance(known, bool):
            if isinstance(value, bool):
                settings[name] = value
            else:
                findings.append(_wrong(path, name, "true or false", data))
        elif isinstance(known, list):
            if isinstance(value, list) and all(isinstance(item, str) and item.startswith("/") for item in value):
                settings[name] = value
            else:
                findings.append(_wrong(path, name, "a list of absolute paths", data))
        elif isinstance(known, str):
            if isinstance(value, str) and len(value) <= LONGEST and value.isprintable():
                settings[name] = value
            else:
                findings.append(_wrong(path, name, f"a line of text of at most {LONGEST:,} characters", data))
        else:
            low, high = BOUNDS[path]
            if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
                settings[name] = value
            else:
                findings.append(_wrong(path, name, f"a whole number from {low} to {high}", data))


def _wrong(path, name, wanted, data):
    return _finding("settings-value", _line(data, name), f"{path} is not {wanted}",
                    f"write {wanted}; until then the default holds")


def _line(data, name):
    """The first line that spells ``"name"``, or None."""
    at = data.find(b'"' + name.encode("utf-8", "replace") + b'"')
    return None if at < 0 else data.count(b"\n", 0, at) + 1


def _finding(code, line, message, fix):
    return Finding(code, "error", FILE, line, message, fix)


CODES = {
    "settings-not-json": ("error", "config.json cannot be read as a JSON object."),
    "settings-unknown": ("error", "config.json holds a name that is no setting."),
    "settings-value": ("error", "A setting has a value that cannot be used; its default holds."),
}
