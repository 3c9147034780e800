"""Mistakes, one a line, each marked with what is said of it: mypy's code and pyright's rule.

Not to be run.
"""

from __future__ import annotations

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn, optim
from rushlight.utils.data import DataLoader, TensorDataset

x = torch.randn(3, 4)
model = nn.Linear(4, 2)
data = TensorDataset(x, torch.zeros(3))

x.sofmax(1)  # wrong: attr-defined, reportAttributeAccessIssue
x.sum(dim="rows")  # wrong: arg-type, reportArgumentType
x + "1"  # wrong: operator, reportOperatorIssue
torch.zeros("3")  # wrong: arg-type, reportArgumentType
torch.cat(x, x)  # wrong: arg-type, reportArgumentType
torch.matmul(x)  # wrong: call-arg, reportCallIssue
x.transpose(0)  # wrong: call-arg, reportCallIssue
x.softmax(axes=1)  # wrong: call-arg, reportCallIssue
F.relu(x, in_place=True)  # wrong: call-arg, reportCallIssue
F.cross_entropy(x, [0, 1, 2])  # wrong: arg-type, reportArgumentType
print(torch.max(x, 1).places)  # wrong: attr-defined, reportAttributeAccessIssue
length: str = x.size(0)  # wrong: assignment, reportAssignmentType
rows: int = x.size()  # wrong: assignment, reportAssignmentType
x.to(dtype="float32")  # wrong: call-overload, reportArgumentType
torch.ones(3, dtype=float)  # wrong: call-overload, reportArgumentType
nn.Linear("4", 2)  # wrong: arg-type, reportArgumentType
nn.Linear(4)  # wrong: call-arg, reportCallIssue
optim.SGD(model.parameters(), learning_rate=0.1)  # wrong: call-arg, reportCallIssue
optim.Adam(model.parameters(), lr="small")  # wrong: arg-type, reportArgumentType
DataLoader(data, batch_size="32")  # wrong: arg-type, reportArgumentType
x.backward(retain=True)  # wrong: call-arg, reportCallIssue
x.grad.norm()  # wrong: union-attr, reportOptionalMemberAccess
x.shape = (4, 3)  # wrong: misc, reportAttributeAccessIssue
torch.linalg.solve(x, 2)  # wrong: arg-type, reportArgumentType
