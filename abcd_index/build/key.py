"""The key: one function of all that shapes the artefact's bytes, and of nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import orjson

from abcd_index.artefact.format import FORMAT, RECORDS_VERSION
from abcd_index.settings import FILE as SETTINGS
from abcd_index.settings import WrittenSettings
from abcd_index.text.normalise import TOKENS_VERSION


def key_of(settings: WrittenSettings, sources: Mapping[str, str]) -> str:
    """The key, 40 hex digits. ``settings``: as written in the header. ``sources``: {name: content hash}.

    Names are relative to the scope's home, in NFC, and compared by code point. Of ``config.json`` only what it
    sets counts: where an artefact is shared, or how many are kept, is in none of its bytes.
    """
    files = sorted(pair for pair in sources.items() if pair[0] != SETTINGS)
    parts = [FORMAT, TOKENS_VERSION, RECORDS_VERSION, settings, files]
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()[:40]
