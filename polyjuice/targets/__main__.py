"""Check target files: ``python -m polyjuice.targets FILE...`` says how many draws of each line gave a typed graph."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from polyjuice.egraph import RuleError
from polyjuice.egraph.pattern_instances import NoInstance
from polyjuice.targets.blocks import block
from polyjuice.targets.files import load

_DRAWS = 50

for path in map(Path, sys.argv[1:]):
    try:
        found = load(path)
    except RuleError as error:
        sys.exit(str(error))
    began = time.perf_counter()
    impossible = 0
    for target in found.targets:
        drawn = 0
        for i in range(_DRAWS):
            try:
                block(target, random.Random(f"{target.name} {i}"))
                drawn += 1
            except NoInstance:
                pass
        impossible += not drawn
        if drawn < 0.8 * _DRAWS:
            print(f"{path}:{target.line}: {target.part}: {drawn} of {_DRAWS} draws")
    seconds = time.perf_counter() - began
    each_ms = 1000 * seconds / max(_DRAWS * len(found.targets), 1)
    counted = f"{len(found.targets)} targets, {impossible} impossible, {len(found.parts)} parts"
    print(f"{path}: {counted}, {each_ms:.1f} ms a draw")
