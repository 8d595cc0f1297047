"""Stand-alone reproducers: one Python file that needs only NumPy and the compiler's framework.

Small models and arrays are written out as a person would write them. Larger ones are embedded as bytes, with a listing
of each model. Only data above 100 KB lies beside the file.
"""

from polyjuice.triage.reproducers.arrays import input_name, stored_arrays
from polyjuice.triage.reproducers.definitions import SIDE_BY_SIDE, program_stem
from polyjuice.triage.reproducers.text import lowered_name, side_by_side, texts

__all__ = ["SIDE_BY_SIDE", "input_name", "lowered_name", "program_stem", "side_by_side", "stored_arrays", "texts"]
