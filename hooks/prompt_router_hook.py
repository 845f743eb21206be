"""The prompt hook. A script is compiled anew at every run, so it does nothing but open the door, which is not."""
import sys

try:
    sys.path.insert(0, __file__[:-22])
    import abcd_door

    abcd_door.main("router")
except BaseException:
    pass
