"""What random programs found (`random_calls/`): layouts of results, types, and gradients of what is
changed in place. One line each; strides of dimensions of one element are left out."""

from __future__ import annotations

import pytest

from .lines import check

LINES = r"""
x=torch.rand(2,4,3).transpose(1,2); x.sum(0)
x=torch.rand(2,4,3).transpose(1,2); x.amax(0)
x=torch.rand(2,4,3).transpose(1,2); x.std(0)
x=torch.rand(2,4,3).transpose(1,2); x.logsumexp(0)
x=torch.rand(2,4,3).transpose(1,2); x.max(0)
x=torch.rand(2,4,3).transpose(1,2); x.sum(0).view(-1)
x=torch.rand(2,4,3).transpose(1,2); x.softmax(0)
x=torch.rand(2,4,3).transpose(1,2); x.cumsum(0)
x=torch.rand(2,4,3).transpose(1,2); x.cummax(0)
x=torch.rand(2,4,3).transpose(1,2); x.sort()
x=torch.rand(2,4,3).transpose(1,2); x.lgamma()
x=torch.rand(2,4,3).transpose(1,2); torch.special.xlogy(x,x)
x=torch.rand(2,4,3).transpose(1,2); torch.special.zeta(x+2,x+1)
x=torch.rand(2,4,3).transpose(1,2); torch.complex(x,x)
x=torch.rand(2,4,3).transpose(1,2); torch.permute_copy(x,(1,0,2))
x=torch.rand(2,4,3).transpose(1,2); x.narrow_copy(1,0,2)
x=torch.rand(2,4,3).transpose(1,2); x.masked_fill(x>0.5,1)
x=torch.rand(2,4,3).transpose(1,2); x.index_fill(0,torch.tensor([0]),2.)
x=torch.rand(2,4,3).transpose(1,2); x.put(torch.tensor([0]),torch.tensor([1.]))
x=torch.rand(2,4,3).transpose(1,2); F.batch_norm(x,None,None,training=True)
x=torch.rand(3,2).t(); x.mul(4).int().floor()
x=torch.tensor([[1,0,2],[0,3,4]]); x.nonzero()
x=torch.ones(3,requires_grad=True); y=x*2; y.ge_(torch.zeros(3)); y.sum().backward(); (y,x.grad)
x=torch.ones(3,requires_grad=True); y=x*2; y[:2].lt_(0.); y.sum().backward(); (y.tolist(),x.grad)
x=torch.ones(3,requires_grad=True); torch.zeros(3).long().copy_(x)
x=torch.ones(3,requires_grad=True); y=torch.zeros(3).bool(); y[:]=x; y
torch.tensor([1j,0j]).bool()
torch.tensor([0.,-2.75,inf],dtype=torch.bfloat16).nan_to_num()
torch.tensor([0.,-2.75,-inf],dtype=torch.float16).nan_to_num_()
torch.tensor([True,False]).add(torch.tensor([True,True]),alpha=2)
F.threshold(torch.tensor([-2,3]),-1.0,7.0)
torch.threshold_(torch.tensor([-2,3],dtype=torch.int16),1.0,7.0)
x=torch.rand(3,4).t(); torch.view_copy(x,(3,4)).shape
torch.zeros(3).igamma(torch.ones(3))
"""


@pytest.mark.parametrize("line", LINES.strip().split("\n"))
def test_line(line: str) -> None:
    check(line)
