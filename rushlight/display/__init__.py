"""What a notebook shows: `_repr_html_` of tensors, modules, optimisers, plans and data sets.

A notebook asks for `_repr_html_` and takes the plain text where that gives None; everywhere else
nothing changes. The bodies are here and are read when the first of them is asked for. What they
look at is bounded, so that a display of large things takes no time; nothing in them raises.

`parts.py` has what all of them are made of (escaped text, colours, PNG), `tensors.py`, `modules.py`
(and optimisers), `data.py` and `plans.py` have one kind of object each.
"""
