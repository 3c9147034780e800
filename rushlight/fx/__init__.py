"""`torch.fx`: programs as graphs that can be looked at, changed, and made into modules again.

    _symbolic_trace.py proxy.py     a program runs on proxies, and what it does becomes nodes
    graph.py node.py                the graph
    codegen.py naming.py            its Python text
    graph_module.py                 a Module that has a graph and its code
    interpreter.py                  running a graph node by node, or into another graph
    subgraph_rewriter.py            replacing parts that look like a pattern
    experimental/proxy_tensor.py    `make_fx`: the operators that a program carries out

Not here: passes over graphs, shapes that are symbols. A compiled step
(`rushlight/compiler/`) has nothing to do with these graphs.
"""

from __future__ import annotations

from . import immutable_collections
from ._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from .graph import CodeGen, Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern

__all__ = [
    "PH",
    "CodeGen",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "ProxyableClassMeta",
    "Tracer",
    "Transformer",
    "has_side_effect",
    "immutable_collections",
    "map_arg",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]
