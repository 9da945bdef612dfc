"""How objects are compiled that do not get along in a shared library otherwise.

The compiler makes objects for programs: they reach the data of shared libraries, and data of each
thread, in ways that only a program can. Within //python's module, all of whose symbols are its own,
that is as good; but for these two kinds of data. Who has such an object learns it from the linker
of //python:module, which names it.
"""

IN_LIBRARIES = ["-fPIC"]
