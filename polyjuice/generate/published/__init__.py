"""The strategies of published fuzzers: Isra, NNSmith, GenCoG and HirGen; and the metrics that compare them."""
