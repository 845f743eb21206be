"""Reading the payload and printing the envelope without the ``json`` package, for the peers tuned for start-up."""

import sys
from _json import encode_basestring_ascii, make_scanner

import common


class _Defaults:
    """What the C scanner asks of its caller."""

    strict, object_hook, object_pairs_hook = True, None, None
    parse_float, parse_int, parse_constant = float, int, float


loads = make_scanner(_Defaults)


def payload():
    return loads(sys.stdin.buffer.read().decode().strip(), 0)[0]


def answer(event, found):
    if found:
        sys.stdout.write(
            '{"hookSpecificOutput":{"hookEventName":%s,"additionalContext":%s}}'
            % (encode_basestring_ascii(event), encode_basestring_ascii(common.block(found)))
        )
