"""The session hook. A script is compiled anew at every run, so it does nothing but open the door, which is not."""
import sys

try:
    sys.path.insert(0, __file__[:-16])
    try:
        import abcd_door
    except ImportError:
        # Reached through a link from elsewhere.
        import os

        sys.path[0] = os.path.dirname(os.path.realpath(__file__))
        import abcd_door

    abcd_door.main("session_hook")
except BaseException:
    import os

    # Without a stderr Python would print to stdout, which is the agent's.
    if os.environ.get("ABCD_DEBUG") and sys.stderr:
        import traceback

        traceback.print_exc()
