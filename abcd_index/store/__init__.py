"""What people write - pages, the catalogue, rules - read into plain records.

Everything below ``read`` is a pure function on bytes that never raises: whatever is wrong becomes a
finding with its file and line, and one bad page never takes another down. Nothing here writes a file.
"""
