"""Values and types that differ easily: Python's types, narrow numbers, lists of tensors, overflow.

Each line was run by both libraries; see `lines.py`.
"""

from __future__ import annotations

import pytest

from .lines import check

PYTHON_TYPES = r"""
list(reversed(torch.tensor([[1,2],[3,4]])))
reversed(torch.tensor([[1,2],[3,4]]))
reversed(torch.tensor(3))
reversed(torch.zeros(0,3))
torch.zeros(2,dtype=float)
torch.zeros(2,dtype=int)
torch.zeros(2,dtype=bool)
torch.zeros(2,dtype=complex)
torch.ones(2,dtype=float)
torch.full((2,),1,dtype=float)
torch.randn(2,dtype=float)
torch.rand(2,dtype=float)
torch.randint(3,(2,),dtype=float)
torch.randint(3,(2,),dtype=int)
torch.randperm(3,dtype=int)
torch.arange(3,dtype=float)
torch.linspace(0,1,3,dtype=float)
torch.logspace(0,1,3,dtype=float)
torch.eye(3,dtype=float)
torch.tensor([1,2],dtype=float)
torch.tensor([1,2],dtype=bool)
torch.tensor([1,2],dtype=complex)
torch.as_tensor([1,2],dtype=float)
torch.asarray([1,2],dtype=float)
torch.from_numpy(np.ones(2)).to(float)
torch.ones(2).to(float)
torch.ones(2).to(int)
torch.ones(2).to(dtype=int)
torch.ones(2).to("cpu",float)
torch.ones(2).to("cpu",dtype=complex)
torch.ones(2).type(float)
torch.ones(2).type(bool)
torch.ones(2).sum(dtype=float)
torch.ones(2).mean(dtype=float)
torch.ones(2).prod(dtype=int)
torch.ones(2).cumsum(0,dtype=float)
torch.ones(2).cumprod(0,dtype=float)
torch.ones(2).softmax(0,dtype=float)
F.softmax(torch.ones(2),0,dtype=float)
F.log_softmax(torch.ones(2),0,dtype=float)
torch.zeros_like(torch.ones(2),dtype=int)
torch.ones_like(torch.ones(2),dtype=float)
torch.full_like(torch.ones(2),3,dtype=float)
torch.rand_like(torch.ones(2),dtype=float)
torch.randn_like(torch.ones(2),dtype=float)
torch.ones(2).new_zeros(2,dtype=int)
torch.ones(2).new_ones(2,dtype=float)
torch.ones(2).new_full((2,),3,dtype=float)
torch.ones(2).new_tensor([2],dtype=float)
nn.Linear(2,2,dtype=float).weight.dtype
nn.Linear(2,2).to(float).weight.dtype
nn.Conv2d(2,2,1,dtype=float).weight.dtype
nn.BatchNorm2d(2,dtype=float).weight.dtype
nn.LSTM(2,2,dtype=float).weight_ih_l0.dtype
nn.Embedding(2,2,dtype=float).weight.dtype
nn.MultiheadAttention(2,1,dtype=float).in_proj_weight.dtype
nn.Linear(2,2).type(float).weight.dtype
torch.nansum(torch.ones(2),dtype=float)
torch.nanmean(torch.ones(2),dtype=float)
torch.linalg.norm(torch.ones(2),dtype=float)
torch.linalg.vector_norm(torch.ones(2),dtype=float)
torch.norm(torch.ones(2),dtype=float)
torch.result_type(torch.ones(2),2.0)
torch.promote_types(float,torch.float32)
torch.promote_types(torch.int32,int)
torch.can_cast(float,int)
torch.can_cast(torch.float32,torch.int32)
torch.finfo(float).max
torch.iinfo(int).max
torch.finfo(torch.float32).max
torch.scalar_tensor(1,dtype=float)
torch.frombuffer(b"12345678",dtype=float)
torch.ones(2).view(int)
torch.ones(2,dtype=torch.float64).view(int)
torch.hann_window(4,dtype=float)
torch.tril_indices(3,3,dtype=int)
torch.triu_indices(3,3,dtype=int)
torch.bucketize(torch.ones(2),torch.ones(3))
torch.empty_strided((2,2),(1,2),dtype=float).dtype
torch.zeros(2,dtype=None)
torch.zeros(2,dtype=str)
torch.zeros(2,dtype="float32")
torch.zeros(2,dtype=np.float32)
torch.ones(2).to(np.float32)
torch.ones(2).to(str)
torch.sum(torch.ones(2),dtype=bool)
torch.fft.fftfreq(3,dtype=float)
torch.vander(torch.ones(2)).to(dtype=float)
torch.complex(torch.ones(2),torch.ones(2)).to(complex)
torch.range(1,3,dtype=float)
torch.nn.Parameter(torch.ones(2)).to(float)
torch.multinomial(torch.ones(3),2).to(float).dtype
torch.Generator().get_state().to(int).dtype
torch.ones(2).quantile(0.5).to(float).dtype
torch.nn.functional.gumbel_softmax(torch.zeros(3)).to(float).dtype
"""

NARROW_NUMBERS = r"""
torch.tensor([.1],dtype=torch.float16)==0.1
torch.tensor([.1],dtype=torch.bfloat16)==0.1
torch.tensor([.1],dtype=torch.float16)<0.1
torch.tensor([.1],dtype=torch.float16)>0.1
torch.tensor([.1],dtype=torch.bfloat16)>=0.1
torch.tensor([.1],dtype=torch.bfloat16)<=0.1
torch.tensor([.1],dtype=torch.bfloat16)!=0.1
torch.tensor([.1],dtype=torch.bfloat16)-0.1
torch.tensor([.1],dtype=torch.float16)-0.1
torch.tensor([.1],dtype=torch.float16)+0.1
torch.tensor([.1],dtype=torch.float16)*0.1
torch.tensor([.1],dtype=torch.float16)/0.1
0.1-torch.tensor([.1],dtype=torch.float16)
0.1/torch.tensor([.1],dtype=torch.float16)
torch.tensor([.1,3.],dtype=torch.float16)%0.1
torch.tensor([.1,3.],dtype=torch.float16)//0.1
torch.tensor([.1,3.],dtype=torch.float16)**0.1
0.1**torch.tensor([.1,3.],dtype=torch.float16)
torch.tensor([.1,3.],dtype=torch.bfloat16)**0.1
0.1**torch.tensor([.1,3.],dtype=torch.bfloat16)
torch.fmod(torch.tensor([.1,3.],dtype=torch.float16),0.1)
torch.remainder(torch.tensor([.1,3.],dtype=torch.bfloat16),0.1)
torch.remainder(0.1,torch.tensor([.03,3.],dtype=torch.bfloat16))
torch.tensor([.1],dtype=torch.float16)==torch.tensor(0.1)
torch.tensor([.1],dtype=torch.float16)==torch.tensor(0.1,dtype=torch.float64)
torch.tensor([.1],dtype=torch.float16)-torch.tensor(0.1)
torch.tensor([.1],dtype=torch.float16)+torch.tensor(0.1)
torch.tensor([.1],dtype=torch.float16)*torch.tensor(0.1)
torch.tensor([.1],dtype=torch.float16)/torch.tensor(0.1)
torch.tensor(.1,dtype=torch.float16)==0.1
torch.tensor([.1],dtype=torch.float32)==0.1
torch.tensor([.1],dtype=torch.float32)<0.1
torch.tensor([.1],dtype=torch.float32)-0.1
torch.tensor([.1],dtype=torch.float32)==torch.tensor(0.1,dtype=torch.float64)
torch.tensor([2049.],dtype=torch.float16)==2049
torch.tensor([65504.],dtype=torch.float16)<1e6
torch.tensor([65504.],dtype=torch.float16)-1e6
torch.tensor([65504.],dtype=torch.float16)*1e-6
torch.tensor([1,2])==1.5
torch.tensor([1,2])<1.5
torch.tensor([1,2],dtype=torch.uint8)<300
torch.tensor([1,2],dtype=torch.uint8)==-1
torch.tensor([1,2],dtype=torch.uint8)==256+1
torch.tensor([1,2],dtype=torch.int8)+200
torch.tensor([1,2],dtype=torch.uint8)-3
torch.tensor([1,2],dtype=torch.int8)>200
torch.tensor([True])==2
F.hardshrink(torch.tensor([.1,.0999,.2],dtype=torch.float16),0.1)
F.hardshrink(torch.tensor([.1,.0999,.2],dtype=torch.bfloat16),0.1)
F.softshrink(torch.tensor([.1,.0999,.2],dtype=torch.bfloat16),0.1)
F.softshrink(torch.tensor([.1,.0999,.2],dtype=torch.float16),0.1)
F.threshold(torch.tensor([.1,.0999,.2],dtype=torch.float16),0.1,0.3)
F.threshold(torch.tensor([.1,.0999,.2],dtype=torch.bfloat16),0.1,0.3)
F.hardtanh(torch.tensor([.1,.0999,.2],dtype=torch.float16),-0.1,0.1)
F.leaky_relu(torch.tensor([-.1,.0999,.2],dtype=torch.float16),0.1)
F.elu(torch.tensor([-.1,.0999,.2],dtype=torch.float16),0.1)
F.celu(torch.tensor([-.1,.0999,.2],dtype=torch.float16),0.1)
F.softplus(torch.tensor([-.1,.0999,.2],dtype=torch.float16),0.1,20)
torch.clamp(torch.tensor([-.1,.0999,.2],dtype=torch.float16),0.1,0.15)
torch.lerp(torch.tensor([-.1,.0999,.2],dtype=torch.float16),torch.tensor([1.,2,3],dtype=torch.float16),0.1)
torch.sub(torch.tensor([-.1,.0999,.2],dtype=torch.float16),0.1,alpha=0.3)
torch.addcmul(torch.tensor([-.1],dtype=torch.float16),torch.tensor([-.1],dtype=torch.float16),torch.tensor([-.1],dtype=torch.float16),value=0.1)
torch.addcdiv(torch.tensor([-.1],dtype=torch.float16),torch.tensor([-.1],dtype=torch.float16),torch.tensor([-.1],dtype=torch.float16),value=0.1)
torch.tensor([.1],dtype=torch.float16).add_(0.1)
torch.tensor([.1],dtype=torch.float16).sub_(0.1)
torch.tensor([.1],dtype=torch.float16).mul_(0.1)
torch.tensor([.1],dtype=torch.float16).eq_(0.1)
torch.isclose(torch.tensor([.1],dtype=torch.float16),torch.tensor([.1],dtype=torch.float16))
torch.where(torch.tensor([True]),torch.tensor([.1],dtype=torch.float16),0.1)
torch.maximum(torch.tensor([.1],dtype=torch.float16),torch.tensor(0.1))
torch.xlogy(torch.tensor([.1],dtype=torch.float16),0.1)
torch.copysign(torch.tensor([.1],dtype=torch.float16),-0.1)
torch.heaviside(torch.tensor([.1],dtype=torch.float16),torch.tensor([.1],dtype=torch.float16))
torch.float_power(torch.tensor([.1],dtype=torch.float16),0.1)
torch.rsub(torch.tensor([.1],dtype=torch.float16),0.1)
torch.masked_fill(torch.tensor([.1],dtype=torch.float16),torch.tensor([True]),0.1)
"""

LISTS_OF_TENSORS = r"""
torch.tensor([torch.tensor([1]),torch.tensor([2])])
torch.tensor([torch.tensor(1),torch.tensor(2)])
torch.tensor([torch.tensor([1.]),2])
torch.tensor([torch.tensor(1.),2])
torch.tensor([2,torch.tensor(1.)])
torch.tensor([torch.tensor([1,2]),torch.tensor([3,4])])
torch.tensor([[torch.tensor([1]),torch.tensor([2])]])
torch.tensor([torch.tensor([[1]]),torch.tensor([[2]])])
torch.tensor((torch.tensor(1.),torch.tensor(2)))
torch.tensor([torch.tensor([1]),[2]])
torch.tensor([[2],torch.tensor([1])])
torch.tensor([torch.tensor([1.5]),torch.tensor([2])],dtype=torch.int64)
torch.tensor([torch.tensor([]),torch.tensor([])])
torch.tensor([np.array([1,2]),np.array([3,4])])
torch.tensor([np.float32(1),np.float32(2)])
torch.tensor([np.int32(1),2.5])
torch.tensor([torch.tensor(True),torch.tensor(False)])
torch.tensor([torch.tensor(1j),2])
torch.as_tensor([torch.tensor([1]),torch.tensor([2])])
torch.FloatTensor([torch.tensor(1.),torch.tensor(2.)])
"""

OVERFLOW = r"""
torch.tensor([-1,2],dtype=torch.uint8)
torch.tensor([255,2],dtype=torch.uint8)
torch.tensor([256,2],dtype=torch.uint8)
torch.tensor([-255,2],dtype=torch.uint8)
torch.tensor([-256,2],dtype=torch.uint8)
torch.tensor([-129],dtype=torch.int8)
torch.tensor([128],dtype=torch.int8)
torch.tensor([-128],dtype=torch.int8)
torch.tensor(-1,dtype=torch.uint8)
torch.tensor(300,dtype=torch.uint8)
torch.tensor([2.7,-1.5],dtype=torch.uint8)
torch.tensor([2.7,-1.5],dtype=torch.int32)
torch.tensor([2**31],dtype=torch.int32)
torch.tensor([2**63-1])
torch.tensor([2**63])
torch.tensor([2**64-1],dtype=torch.uint64)
torch.tensor([-1],dtype=torch.uint16)
torch.tensor([-1],dtype=torch.uint64)
torch.tensor([1e10],dtype=torch.int32)
torch.tensor([1e20],dtype=torch.int64)
torch.tensor([nan],dtype=torch.int64)
torch.tensor([inf],dtype=torch.int64)
torch.tensor([1e6],dtype=torch.float16)
torch.tensor([1e300],dtype=torch.float32)
torch.tensor([1j],dtype=torch.float32)
torch.tensor([2],dtype=torch.bool)
torch.tensor([0.5],dtype=torch.bool)
torch.tensor([nan],dtype=torch.bool)
torch.full((2,),-1,dtype=torch.uint8)
torch.full((2,),300,dtype=torch.uint8)
torch.zeros(2,dtype=torch.uint8).fill_(-1)
torch.zeros(2,dtype=torch.uint8).fill_(-3.5)
torch.zeros(2,dtype=torch.uint8)+(-1)
t=torch.zeros(2,dtype=torch.uint8); t[0]=-1; t
t=torch.zeros(2,dtype=torch.uint8); t[0]=256; t
torch.tensor([-1],dtype=torch.int32).to(torch.uint8)
"""

CASTS = r"""
torch.tensor([1e10,nan,inf,-inf,-1e10,3e9]).int()
torch.tensor([1e10,nan,inf,-inf,-1e10,3e9],dtype=torch.float64).int()
torch.tensor([1e10,nan,inf,-inf,-1e10,3e9,1e20,-1e20]).long()
torch.tensor([1e10,nan,inf,-inf,-1e10,3e9,1e20],dtype=torch.float64).long()
torch.tensor([1e10,nan,inf,-inf,-1e10,3e9,300,-5]).short()
torch.tensor([1e10,nan,inf,-inf,-1e10,3e9,300,-5.7]).char()
torch.tensor([1e10,nan,inf,-inf,-1e10,3e9,300,-5.7]).byte()
torch.tensor([1e10,nan,inf,-inf,-1e10,3e9,300,-5.7]*8).byte()
torch.tensor([1e10,nan,inf,-inf,-1e10,3e9,300,-5.7]*8).int()
torch.tensor([1e10,nan,inf,-inf,-1e10,3e9,300,-5.7]*8).long()
torch.tensor([1e10,nan,inf,-inf,-1e10,3e9,300,-5.7],dtype=torch.float64).char()
torch.tensor([nan,inf,-inf,300,-5.7],dtype=torch.float16).byte()
torch.tensor([nan,inf,-inf,300,-5.7],dtype=torch.float16).int()
torch.tensor([nan,inf,-inf,300,-5.7],dtype=torch.bfloat16).int()
torch.tensor([nan,inf,-inf,3e10,-5.7],dtype=torch.bfloat16).int()
torch.tensor([nan,inf,-inf,300,-5.7],dtype=torch.bfloat16).long()
torch.tensor([nan,inf,0.]).bool()
torch.tensor([3e9,2**31,-1]).long().int()
torch.tensor([1e10,nan]).to(torch.uint16)
torch.tensor([3+4j,nan]).int()
torch.tensor(1e10).int()
torch.tensor(nan).int()
"""

NANSUM = r"""
torch.nansum(torch.tensor([1,nan]),dtype=torch.float64)
torch.nansum(torch.tensor([1,2]),dtype=torch.float64)
torch.nansum(torch.tensor([[1.5,nan]]),dim=1,dtype=torch.int64)
torch.nansum(torch.tensor([[1.5,nan]]),dim=1,keepdim=True,dtype=torch.float64)
torch.tensor([1.,nan]).nansum(dtype=torch.float16)
torch.nansum(torch.tensor([1.5,nan]),0,dtype=torch.float64)
torch.nansum(torch.tensor([True,False]))
torch.nansum(torch.tensor([1,2],dtype=torch.int8))
torch.nansum(torch.tensor([1j,2]))
torch.nanmean(torch.tensor([1.5,nan]),dtype=torch.float64)
"""

OUT = r"""
o=torch.zeros(6)[::2]; torch.arange(3,out=o); o
b=torch.zeros(3,2); o=b.t(); torch.arange(6,out=o); o,b
b=torch.zeros(3,2); o=b.t(); torch.arange(6,out=b); b
b=torch.zeros(2,3).t(); torch.arange(6,out=b); b
b=torch.zeros(2,3).t(); torch.linspace(0,1,6,out=b); b
b=torch.zeros(2,3).t(); torch.logspace(0,1,6,out=b); b
b=torch.zeros(2,3).t(); torch.range(0,5,out=b); b
b=torch.zeros(6)[::2]; torch.linspace(0,1,3,out=b); b
b=torch.zeros(6)[::2]; torch.logspace(0,1,3,out=b); b
b=torch.zeros(6)[::2]; torch.range(0,2,out=b); b
b=torch.zeros(6,dtype=torch.int64)[::2]; torch.randperm(3,out=b); b
b=torch.zeros(2,3,dtype=torch.int64).t(); torch.randperm(6,out=b); b
b=torch.zeros(6)[::2]; torch.eye(3,out=b); b
b=torch.zeros(3,3).t(); torch.eye(3,out=b); b
b=torch.zeros(6)[::2]; torch.zeros(3,out=b); b
b=torch.zeros(6)[::2]; torch.ones(3,out=b); b
b=torch.zeros(6)[::2]; torch.full((3,),2.,out=b); b
b=torch.zeros(6)[::2]; torch.rand(3,out=b); b
b=torch.zeros(6)[::2]; torch.randn(3,out=b); b
b=torch.zeros(40)[::2]; torch.randn(20,out=b); b
b=torch.zeros(4,5).t(); torch.randn(5,4,out=b); b
b=torch.zeros(4,5).t(); torch.rand(5,4,out=b); b
b=torch.zeros(4,5).t(); torch.rand(20,out=b); b
b=torch.zeros(4,5,dtype=torch.int64).t(); torch.randint(9,(5,4),out=b); b
b=torch.zeros(3,dtype=torch.int64); torch.arange(3,out=b); b
b=torch.zeros(3,dtype=torch.int32); torch.arange(3.5,out=b); b
b=torch.zeros(3,dtype=torch.int64); torch.linspace(0,10,3,out=b); b
b=torch.zeros(4,dtype=torch.int64); torch.linspace(0,10,4,out=b); b
b=torch.zeros(4,dtype=torch.int64); torch.logspace(0,1,4,out=b); b
b=torch.zeros(4,dtype=torch.int64); torch.range(0,3,out=b); b
b=torch.zeros(4,dtype=torch.int32); torch.randperm(4,out=b); b
b=torch.zeros(4,dtype=torch.float32); torch.randperm(4,out=b); b
b=torch.zeros(4,dtype=torch.int32); torch.zeros(4,out=b); b
b=torch.zeros(4,dtype=torch.int32); torch.ones(4,out=b); b
b=torch.zeros(2,2,dtype=torch.int32); torch.eye(2,out=b); b
b=torch.zeros(2,dtype=torch.int32); torch.full((2,),2.5,out=b); b
b=torch.zeros(2,dtype=torch.int32); torch.full((2,),2,out=b); b
b=torch.zeros(2,dtype=torch.float64); torch.full((2,),2,out=b); b
b=torch.zeros(2,dtype=torch.float64); torch.arange(2,out=b); b
b=torch.zeros(2,dtype=torch.float64); torch.linspace(0,1,5,out=b); b
b=torch.zeros(2,dtype=torch.float64); torch.ones(3,out=b); b
b=torch.zeros(2,dtype=torch.int64); torch.rand(2,out=b)
b=torch.zeros(2,dtype=torch.float64); torch.randint(5,(2,),out=b); b
b=torch.zeros(2,dtype=torch.float64); torch.arange(2,out=b,dtype=torch.float32)
b=torch.zeros(2,dtype=torch.float64); torch.zeros(2,out=b,dtype=torch.float32)
b=torch.zeros(2,dtype=torch.float64); torch.full((2,),1.,out=b,dtype=torch.float32)
b=torch.zeros(5); torch.arange(3,out=b); b
b=torch.zeros(0); torch.arange(3,out=b); b
b=torch.zeros(2,2); torch.arange(4,out=b); b
b=torch.zeros(2,2); torch.linspace(0,1,4,out=b); b
b=torch.zeros(2,2); torch.arange(3,out=b); b
b=torch.zeros(2,2,dtype=torch.int64); torch.randperm(4,out=b); b
b=torch.zeros(2,3).t(); torch.add(torch.ones(3,2),1,out=b); b
b=torch.zeros(4)[::2]; torch.cat([torch.ones(1),torch.ones(1)],out=b); b
b=torch.zeros(4,dtype=torch.int64)[::2]; torch.sum(torch.ones(2,2,dtype=torch.int64),0,out=b); b
F.embedding_bag(torch.tensor([0,1,2]),torch.ones(3,2,requires_grad=True),torch.tensor([0,2,3]),include_last_offset=True,mode="sum")
"""

BAGS = r"""
F.embedding_bag(torch.tensor([0,1,2]),torch.ones(3,2,requires_grad=True),torch.tensor([0,2,3]),include_last_offset=True,mode="sum")
F.embedding_bag(torch.tensor([0,1,2]),torch.ones(3,2,requires_grad=True),torch.tensor([0,2,3]),include_last_offset=True,mode="mean")
F.embedding_bag(torch.tensor([0,1,2]),torch.ones(3,2,requires_grad=True),torch.tensor([0,2,3]),include_last_offset=True,mode="max")
F.embedding_bag(torch.tensor([0,1,2]),torch.ones(3,2,requires_grad=True),torch.tensor([0,2,3]),mode="sum")
F.embedding_bag(torch.tensor([0,1,2]),torch.ones(3,2,requires_grad=True),torch.tensor([0,2,3]),mode="max")
F.embedding_bag(torch.tensor([],dtype=torch.int64),torch.ones(3,2,requires_grad=True),torch.tensor([0,0]),mode="sum")
F.embedding_bag(torch.tensor([],dtype=torch.int64),torch.ones(3,2,requires_grad=True),torch.tensor([0,0]),mode="mean")
F.embedding_bag(torch.tensor([],dtype=torch.int64),torch.ones(3,2,requires_grad=True),torch.tensor([0,0]),mode="max")
F.embedding_bag(torch.tensor([],dtype=torch.int64),torch.ones(3,2,requires_grad=True),torch.tensor([],dtype=torch.int64),mode="sum")
F.embedding_bag(torch.zeros(0,3,dtype=torch.int64),torch.ones(3,2,requires_grad=True),mode="mean")
F.embedding_bag(torch.tensor([],dtype=torch.int64),torch.ones(3,2,requires_grad=True),torch.tensor([0]),mode="sum",include_last_offset=True)
F.embedding_bag(torch.tensor([0,1,1]),torch.ones(3,2,requires_grad=True),torch.tensor([0,2]),mode="sum",padding_idx=1)
F.embedding_bag(torch.tensor([1,1,1]),torch.ones(3,2,requires_grad=True),torch.tensor([0,2]),mode="mean",padding_idx=1)
F.embedding_bag(torch.tensor([1,1,1]),torch.ones(3,2,requires_grad=True),torch.tensor([0,2]),mode="max",padding_idx=1)
F.embedding_bag(torch.tensor([1,1,0]),torch.rand(3,2,requires_grad=True),torch.tensor([0,2]),mode="max",padding_idx=1)
F.embedding_bag(torch.tensor([[1,1],[0,1]]),torch.rand(3,2,requires_grad=True),mode="mean",padding_idx=1)
F.embedding_bag(torch.tensor([0,1,2]),torch.rand(3,2,requires_grad=True),torch.tensor([0,2]),mode="sum",per_sample_weights=torch.tensor([1.,2,3]))
F.embedding_bag(torch.tensor([0,1,2]),torch.rand(3,2),torch.tensor([0,2]),mode="sum",per_sample_weights=torch.tensor([1.,2,3],requires_grad=True))
F.embedding_bag(torch.tensor([],dtype=torch.int64),torch.rand(3,2),torch.tensor([0,0]),mode="sum",per_sample_weights=torch.tensor([],requires_grad=True))
F.embedding_bag(torch.tensor([0,1,2,0]),torch.rand(3,2,requires_grad=True),torch.tensor([0,0,2,4]),mode="mean")
F.embedding_bag(torch.tensor([0,1,2,0]),torch.rand(3,2,requires_grad=True),torch.tensor([0,0,2,4]),mode="max")
w=torch.rand(3,2,requires_grad=True); F.embedding_bag(torch.tensor([0,1,1]),w,torch.tensor([0,2,3]),include_last_offset=True,mode="mean").sum().backward(); w.grad
w=torch.rand(3,2,requires_grad=True); F.embedding_bag(torch.tensor([0,1,1]),w,torch.tensor([0,2,3]),include_last_offset=True,mode="max").sum().backward(); w.grad
w=torch.rand(3,2,requires_grad=True); F.embedding_bag(torch.tensor([1,1,1]),w,torch.tensor([0,2]),padding_idx=1,mode="mean").sum().backward(); w.grad
w=torch.rand(3,2,requires_grad=True); F.embedding_bag(torch.tensor([0,1,1]),w,torch.tensor([0,2]),padding_idx=1,mode="sum").sum().backward(); w.grad
w=torch.rand(3,2,requires_grad=True); F.embedding_bag(torch.tensor([],dtype=torch.int64),w,torch.tensor([0,0]),mode="sum").sum().backward(); w.grad
w=torch.rand(3,2,requires_grad=True); F.embedding_bag(torch.tensor([],dtype=torch.int64),w,torch.tensor([0,0]),mode="max").sum().backward(); w.grad
w=torch.rand(3,2,requires_grad=True); F.embedding_bag(torch.tensor([],dtype=torch.int64),w,torch.tensor([0,0]),mode="mean").sum().backward(); w.grad
nn.EmbeddingBag(4,3,include_last_offset=True)(torch.tensor([0,1,2]),torch.tensor([0,2,3]))
nn.EmbeddingBag(4,3,padding_idx=0)(torch.tensor([0,0,2]),torch.tensor([0,2]))
"""  # noqa: E501

SPECIAL = r"""
torch.erf(torch.tensor([1+1j]))
torch.erfc(torch.tensor([1+1j]))
torch.erfinv(torch.tensor([.1+.1j]))
torch.lgamma(torch.tensor([1+1j]))
torch.digamma(torch.tensor([1+1j]))
torch.polygamma(1,torch.tensor([1+1j]))
torch.logit(torch.tensor([.1+.1j]))
torch.i0(torch.tensor([1+1j]))
torch.special.i0e(torch.tensor([1+1j]))
torch.special.i1(torch.tensor([1+1j]))
torch.special.i1e(torch.tensor([1+1j]))
torch.special.ndtri(torch.tensor([1+1j]))
torch.special.ndtr(torch.tensor([1+1j]))
torch.special.log_ndtr(torch.tensor([1+1j]))
torch.special.erfcx(torch.tensor([1+1j]))
torch.special.entr(torch.tensor([1+1j]))
torch.special.bessel_j0(torch.tensor([1+1j]))
torch.special.zeta(torch.tensor([1+1j]),torch.tensor([1+1j]))
torch.special.xlog1py(torch.tensor([1+1j]),torch.tensor([1+1j]))
torch.xlogy(torch.tensor([1+1j]),torch.tensor([1+1j]))
torch.special.expit(torch.tensor([1+1j]))
torch.special.exp2(torch.tensor([1+1j]))
torch.special.expm1(torch.tensor([1+1j]))
torch.special.log1p(torch.tensor([1+1j]))
torch.special.sinc(torch.tensor([1+1j]))
torch.special.gammainc(torch.tensor([1+1j]),torch.tensor([1+1j]))
F.gelu(torch.tensor([1+1j]))
torch.polygamma(2,torch.tensor([-1.5,-10.2,-1e3-.3,-1e6-.25,inf,-inf,nan,0.,-1.,1e-5,1e10]))
torch.polygamma(3,torch.tensor([-1.5,-10.2,-1e3-.3,inf,-inf,nan,0.,-1.,1e-5,1e10]))
torch.polygamma(4,torch.tensor([-1.5,-10.2,-1e3-.3,inf,-inf,nan,0.,-1.,1e-5,1e10]))
torch.polygamma(0,torch.tensor([-1.5,-10.2,-1e3-.3,-1e6-.25,inf,-inf,nan,0.,-1.,1e-5,1e10]))
torch.polygamma(10,torch.tensor([.1,1.,5.,50.,500.]))
torch.polygamma(30,torch.tensor([.1,1.,5.,50.,500.]))
torch.polygamma(5,torch.tensor([3]))
torch.polygamma(-1,torch.tensor([3.]))
torch.special.zeta(torch.tensor([2.,1.,.5,inf,nan,3.,3.,3.]),torch.tensor([1.,2.,3.,4.,5.,-1.5,inf,-2.]))
torch.special.zeta(2.,torch.tensor([-1.5,-1e6-.5,-.5]))
torch.i0(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.,1e10]))
torch.special.i0e(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.,1e10]))
torch.special.i1(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.,1e10]))
torch.special.i1e(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.,1e10]))
torch.special.bessel_j0(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.,1e4]))
torch.special.bessel_j1(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.,1e4]))
torch.special.bessel_y0(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.,1e4]))
torch.special.bessel_y1(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.,1e4]))
torch.special.modified_bessel_i0(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.]))
torch.special.modified_bessel_i1(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.]))
torch.special.modified_bessel_k0(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.]))
torch.special.modified_bessel_k1(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.]))
torch.special.scaled_modified_bessel_k0(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.]))
torch.special.scaled_modified_bessel_k1(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.]))
torch.special.spherical_bessel_j0(torch.tensor([inf,-inf,nan,0.,100.,-100.,88.]))
torch.special.gammainc(torch.tensor([inf,0.,nan,1.,2.,100.,1e5,-1.]),torch.tensor([1.,0.,1.,inf,0.,100.,1e5,1.]))
torch.special.gammaincc(torch.tensor([inf,0.,nan,1.,2.,100.,1e5,-1.]),torch.tensor([1.,0.,1.,inf,0.,100.,1e5,1.]))
torch.special.gammainc(torch.tensor([inf,inf,0.,3.]),torch.tensor([inf,1.,2.,-1.]))
"""

INDICES = r"""
x=torch.arange(4).view(2,2); x[[[0,1],[0,1]]]
x=torch.arange(4).view(2,2); x[[[0,1],[1,0]]]
x=torch.arange(8).view(2,2,2); x[[[0,1],[0,1],[0,0]]]
x=torch.arange(4).view(2,2); x[[slice(None),0]]
x=torch.arange(4).view(2,2); x[[0,slice(None)]]
x=torch.arange(4).view(2,2); x[[None,0]]
x=torch.arange(4).view(2,2); x[[0,1]]
x=torch.arange(4).view(2,2); x[[True,False]]
x=torch.arange(4).view(2,2); x[[0]]
x=torch.arange(4).view(2,2); x[[]]
x=torch.arange(4).view(2,2); x[[[]]]
x=torch.arange(4).view(2,2); x[[[0,1]]]
x=torch.arange(4).view(2,2); x[[[0],[1]]]
x=torch.arange(4).view(2,2); x[([0,1],[1,0])]
x=torch.arange(4).view(2,2); x[[torch.tensor([0,1]),torch.tensor([1,0])]]
x=torch.arange(4).view(2,2); x[[torch.tensor(0),torch.tensor(1)]]
x=torch.arange(4).view(2,2); x[[...,0]]
x=torch.arange(4).view(2,2); x[[[True,False],[False,True]]]
x=torch.arange(4).view(2,2); x[((0,1),(0,1))]
x=torch.arange(4).view(2,2); x[(0,1),]
x=torch.arange(4).view(2,2); x[[(0,1),(0,1)]]
x=torch.arange(4).view(2,2); x[[np.array([0,1]),np.array([0,1])]]
x=torch.arange(4).view(2,2); x[[range(2),range(2)]]
x=torch.arange(4).view(2,2); x[range(2)]
x=torch.arange(4).view(2,2); x[np.array([[0,1],[0,1]])]
x=torch.arange(4).view(2,2); x[torch.tensor([[0,1],[0,1]])]
x=torch.arange(4).view(2,2); x[[[0,1],[0,1]]]=5; x
x=torch.arange(4).view(2,2); x[[slice(None),0]]=5; x
x=torch.arange(4).view(2,2); x[[0,1]]=5; x
x=torch.arange(4).view(2,2); x[[0,0]]=torch.tensor([7,8]); x
x=torch.arange(4).view(2,2); x[[[0,1],0]]
x=torch.arange(4).view(2,2); x[[0,[0,1]]]
x=torch.arange(4).view(2,2); x[[1.5,0]]
x=torch.arange(70).view(70); x[list(range(40))]
x=torch.arange(70).view(70); x[[[i] for i in range(40)]]
a=torch.arange(4).view(2,2); a[True]
a=torch.arange(4).view(2,2); a[False]
a=torch.arange(4).view(2,2); a[True]=9; a
a=torch.arange(4).view(2,2); a[False]=9; a
a=torch.arange(4).view(2,2); a[True]=torch.tensor([[1,2],[3,4]]); a
a=torch.arange(4).view(2,2); a[True]=torch.tensor([[[1,2],[3,4]]]); a
a=torch.tensor(3.); a[True]
a=torch.tensor(3.); a[False]
a=torch.tensor(3.); a[True]=4; a
a=torch.tensor(3.); a[False]=4; a
a=torch.tensor(3.); a[None]
a=torch.tensor(3.); a[...]
a=torch.tensor(3.); a[()]
a=torch.tensor(3.); a[0]
a=torch.tensor(3.); a[torch.tensor(True)]
a=torch.tensor(3.); a[torch.tensor(False)]
a=torch.tensor(3.); a[torch.tensor(True)]=5; a
a=torch.tensor(3.); a[torch.tensor(False)]=5; a
a=torch.arange(4).view(2,2); a[torch.tensor(True)]
a=torch.arange(4).view(2,2); a[torch.tensor(False)]
a=torch.arange(4).view(2,2); a[torch.tensor(True)]=5; a
a=torch.arange(4).view(2,2); a[True,0]
a=torch.arange(4).view(2,2); a[0,True]
a=torch.arange(4).view(2,2); a[:,True]
a=torch.arange(4).view(2,2); a[True,:,0]
a=torch.arange(4).view(2,2); a[True,True]
a=torch.arange(4).view(2,2); a[True,False]
a=torch.arange(4).view(2,2); a[True,[0,1]]
a=torch.arange(4).view(2,2); a[None,True]
a=torch.arange(4).view(2,2); a[...,True]
a=torch.arange(4).view(2,2); a[0,True]=9; a
a=torch.arange(4).view(2,2); a[torch.tensor([True,False])]=9; a
a=torch.arange(4).view(2,2); a[torch.tensor([1,0],dtype=torch.uint8)]
a=torch.arange(4.).view(2,2).requires_grad_(); a[True]
x=torch.arange(24).view(2,3,4); x[:,[0,2]]
x=torch.arange(24).view(2,3,4); x[[[0,1],[0,2]]]
x=torch.arange(24).view(2,3,4); x[[[0,1],slice(None),[0,2]]]
x=torch.arange(24).view(2,3,4); x[[0,1],...,[0,2]]
x=torch.arange(24).view(2,3,4); x[[[[0,1],[1,0]]]]
x=torch.arange(24).view(2,3,4); x[[[[0,1],[1,0]],[0,1]]]
x=torch.arange(24).view(2,3,4); x[[1,0]]+=1; x
x=torch.arange(24).view(2,3,4); x[[torch.tensor([True,False])]]
x=torch.arange(24).view(2,3,4); x[[[True,False]]]
x=torch.arange(24).view(2,3,4); x[[None,[0,1]]].shape
x=torch.arange(4.); x[1.5]
x=torch.arange(4.); x[{}]
x=torch.arange(4.); x[{1}]
x=torch.arange(4.); x[1j]
"""


def programs(*texts: str) -> list[str]:
    return [line for text in texts for line in text.strip().splitlines()]


@pytest.mark.parametrize(
    "line",
    programs(
        PYTHON_TYPES,
        NARROW_NUMBERS,
        LISTS_OF_TENSORS,
        OVERFLOW,
        CASTS,
        NANSUM,
        OUT,
        BAGS,
        SPECIAL,
        INDICES,
    ),
)
def test_values(line: str) -> None:
    """Both libraries agree on the value, the type and the class of error."""
    check(line)


def test_svd_lowrank_is_a_plain_tuple() -> None:
    """No named tuple, as in PyTorch."""
    import rushlight

    assert type(rushlight.svd_lowrank(rushlight.ones(4, 3))) is tuple
    assert type(rushlight.pca_lowrank(rushlight.rand(4, 3))) is tuple
