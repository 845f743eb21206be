import sys

sys.dont_write_bytecode = False
sys.path.insert(0, __file__[: -len("run.py")])
if len(sys.argv) > 2:
    sys.path.append(sys.argv[2])
__import__(sys.argv[1]).main()
