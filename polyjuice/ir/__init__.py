"""The intermediate representation: graphs of operators over typed tensors."""

from polyjuice.ir.arrays import (
    BFLOAT16,
    array_digest,
    array_text,
    mark,
    packed,
    stored_type,
    uniform_value,
    unpacked,
)
from polyjuice.ir.graph import (
    UNKNOWN,
    Attrs,
    Graph,
    GraphError,
    Node,
    SizeUnknown,
    TensorType,
    attribute_texts,
    check_structure,
    digest,
    prune,
    read,
    releases,
    value_keys,
    with_outputs,
    without_unused_inputs,
)
from polyjuice.ir.names import numbered, renamed, renamed_node, union
from polyjuice.ir.parts import Part, connected, cut, random_order
