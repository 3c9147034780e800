"""Strides of results: PyTorch's rules of memory formats.

Expanded dimensions are laid out, dense orders are kept, channels_last goes through layers. What
each line gives is compared with its strides, those of dimensions of one element left out.
"""

from __future__ import annotations

import pytest

from .lines import check

STRIDES = r"""
torch.ones(3)[None].stride()
torch.ones(3)[:, None].stride()
torch.ones(2, 3)[:, None].stride()
torch.tensor(3.).unsqueeze(0).stride()
torch.tensor(3.)[None, None].stride()
torch.ones(2, 3).t().unsqueeze(-1).unsqueeze(0).stride()
torch.ones(3).expand(1, 3).stride()
torch.ones(3, 1).expand(3, 4).unsqueeze(1).stride(1)
x=torch.rand(3,1).expand(3,4); x.clone()
x=torch.rand(1,4).expand(3,4); x.clone()
x=torch.rand(1,1).expand(3,4); x.clone()
x=torch.rand(4).expand(3,4); x.double()
x=torch.rand(4).expand(3,4); x.to(torch.float64)
x=torch.rand(4).expand(3,4); x.half()
x=torch.rand(4).expand(3,4); x.int()
x=torch.rand(4).expand(3,4); x.bfloat16()
x=torch.rand(4).expand(3,4); x.to(torch.float64,copy=True)
x=torch.rand(4).expand(3,4); x.to(copy=True,dtype=torch.float32)
x=torch.rand(4).expand(3,4); torch.zeros_like(x)
x=torch.rand(4).expand(3,4); torch.ones_like(x)
x=torch.rand(4).expand(3,4); torch.full_like(x,2)
x=torch.rand(4).expand(3,4); torch.empty_like(x).fill_(1)
x=torch.rand(4).expand(3,4); torch.rand_like(x)
x=torch.rand(4).expand(3,4); torch.randn_like(x)
x=torch.rand(4).expand(3,4); torch.randint_like(x,5)
x=torch.rand(4).expand(3,4); torch.zeros_like(x,dtype=torch.int64)
x=torch.rand(3,1,4).expand(3,5,4); torch.zeros_like(x)
x=torch.rand(3,1,4).expand(3,5,4); x.clone()
x=torch.rand(3,1,4).expand(3,5,4).transpose(0,2); x.clone()
x=torch.rand(3,1,4).expand(3,5,4).transpose(0,1); x.clone()
x=torch.rand(3,1,4).transpose(0,2).expand(4,5,3); x.clone()
x=torch.rand(4).expand(3,4); torch.cat([x,x])
x=torch.rand(4).expand(3,4); torch.cat([x,x],1)
x=torch.rand(3,1).expand(3,4); torch.cat([x,x],0)
x=torch.rand(3,1).expand(3,4); torch.stack([x,x],0)
x=torch.rand(3,1).expand(3,4); torch.stack([x,x],1)
x=torch.rand(4,3).t(); torch.cat([x,x])
x=torch.rand(4,3).t(); torch.cat([x,x],1)
x=torch.rand(4,3).t(); torch.cat([x,torch.rand(3,4)],1)
x=torch.rand(4,3).t(); torch.stack([x,x])
x=torch.rand(4,3).t(); torch.stack([x,x],1)
x=torch.rand(4,3).t(); torch.stack([x,x],2)
x=torch.rand(2,4,3).transpose(1,2); torch.cat([x,x],1)
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); torch.cat([x,x],1)
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); torch.cat([x,x.contiguous()],1)
x=torch.rand(3,1).expand(3,4); x.roll(1,0)
x=torch.rand(3,1).expand(3,4); x.roll(1)
x=torch.rand(4,3).t(); x.roll(1,0)
x=torch.rand(4,3).t(); x.roll((1,1),(0,1))
x=torch.rand(4,3).t(); x.flip(0)
x=torch.rand(3,1).expand(3,4); x.flip(0)
x=torch.rand(3,1).expand(3,4); x.flip(0,1)
x=torch.rand(4,3).t(); torch.rot90(x)
x=torch.rand(3,4).t(); x.softmax(0).stride()
x=torch.rand(3,4).t(); x.softmax(-1).stride()
x=torch.rand(3,4).t(); x.log_softmax(-1).stride()
x=torch.rand(3,4).t(); x.cumsum(0)
x=torch.rand(3,4).t(); x.cumprod(-1)
x=torch.rand(3,4).t(); x.cummax(0)[1]
x=torch.rand(3,4).t(); x.logcumsumexp(0).stride()
x=torch.rand(3,4).t(); x.masked_fill(x>0.5,0.)
x=torch.rand(3,4).t(); x.masked_fill(x>0.5,torch.tensor(0.))
x=torch.rand(3,4).t(); x.sort(0)[0]
x=torch.rand(3,4).t(); x.sort(-1)[1]
x=torch.rand(3,4).t(); x.argsort(0)
x=torch.rand(2,3,4).permute(2,0,1); x.softmax(0).stride()
x=torch.rand(2,3,4).permute(2,0,1); x.softmax(-1).stride()
x=torch.rand(2,3,4).permute(2,0,1); x.log_softmax(-1).stride()
x=torch.rand(2,3,4).permute(2,0,1); x.cumsum(0)
x=torch.rand(2,3,4).permute(2,0,1); x.cumprod(-1)
x=torch.rand(2,3,4).permute(2,0,1); x.cummax(0)[1]
x=torch.rand(2,3,4).permute(2,0,1); x.logcumsumexp(0).stride()
x=torch.rand(2,3,4).permute(2,0,1); x.masked_fill(x>0.5,0.)
x=torch.rand(2,3,4).permute(2,0,1); x.masked_fill(x>0.5,torch.tensor(0.))
x=torch.rand(2,3,4).permute(2,0,1); x.sort(0)[0]
x=torch.rand(2,3,4).permute(2,0,1); x.sort(-1)[1]
x=torch.rand(2,3,4).permute(2,0,1); x.argsort(0)
x=torch.rand(4,6)[:,::2]; x.softmax(0).stride()
x=torch.rand(4,6)[:,::2]; x.softmax(-1).stride()
x=torch.rand(4,6)[:,::2]; x.log_softmax(-1).stride()
x=torch.rand(4,6)[:,::2]; x.cumsum(0)
x=torch.rand(4,6)[:,::2]; x.cumprod(-1)
x=torch.rand(4,6)[:,::2]; x.cummax(0)[1]
x=torch.rand(4,6)[:,::2]; x.logcumsumexp(0).stride()
x=torch.rand(4,6)[:,::2]; x.masked_fill(x>0.5,0.)
x=torch.rand(4,6)[:,::2]; x.masked_fill(x>0.5,torch.tensor(0.))
x=torch.rand(4,6)[:,::2]; x.sort(0)[0]
x=torch.rand(4,6)[:,::2]; x.sort(-1)[1]
x=torch.rand(4,6)[:,::2]; x.argsort(0)
x=torch.rand(3,1).expand(3,4); x.softmax(0).stride()
x=torch.rand(3,1).expand(3,4); x.softmax(-1).stride()
x=torch.rand(3,1).expand(3,4); x.log_softmax(-1).stride()
x=torch.rand(3,1).expand(3,4); x.cumsum(0)
x=torch.rand(3,1).expand(3,4); x.cumprod(-1)
x=torch.rand(3,1).expand(3,4); x.cummax(0)[1]
x=torch.rand(3,1).expand(3,4); x.logcumsumexp(0).stride()
x=torch.rand(3,1).expand(3,4); x.masked_fill(x>0.5,0.)
x=torch.rand(3,1).expand(3,4); x.masked_fill(x>0.5,torch.tensor(0.))
x=torch.rand(3,1).expand(3,4); x.sort(0)[0].stride()
x=torch.rand(3,1).expand(3,4); x.sort(-1)[0].stride()
x=torch.rand(3,1).expand(3,4); F.dropout(x,0.5)
x=torch.rand(4,3).t(); F.dropout(x,0.5).shape
x=torch.rand(4,3).t(); F.dropout(x,0.5).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); F.dropout(x,0.5).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); F.dropout2d(x,0.5).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); F.alpha_dropout(x,0.5,True).stride()
x=torch.rand(3,1).expand(3,4); F.dropout(x,0.5,False).stride()
x=torch.rand(3,1).expand(3,4).bfloat16(); x+x
x=torch.rand(3,1).bfloat16().expand(3,4); x+x
x=torch.rand(3,1).bfloat16().expand(3,4); x+1
x=torch.rand(3,1).bfloat16().expand(3,4); x.exp().stride()
x=torch.rand(3,1).half().expand(3,4); (x*x).stride()
x=torch.rand(3,1).bfloat16().expand(3,4); y=torch.rand(3,4).bfloat16(); x+y
x=torch.rand(3,1).bfloat16().expand(3,4); y=torch.rand(3,4).bfloat16(); y+x
x=torch.rand(4,3).bfloat16().t(); y=torch.rand(3,1).bfloat16(); x+y
x=torch.rand(4,3).bfloat16().t(); x+1
x=torch.rand(4,3).t(); y=torch.rand(3,1).bfloat16(); x+y
x=torch.rand(4,3).t(); y=torch.rand(3,1).double(); x+y
x=torch.rand(3,1).expand(3,4); x+x
x=torch.rand(3,1).expand(3,4); x+1
x=torch.rand(3,1).expand(3,4); x.exp()
x=torch.rand(3,1).expand(3,4); x.sin()
x=torch.rand(3,1).expand(3,4); x>0
x=torch.rand(3,1).expand(3,4); -x
x=torch.rand(3,1).expand(3,4); x.relu()
x=torch.rand(3,1).expand(3,4); x.sigmoid()
x=torch.rand(3,1).expand(3,4); F.gelu(x)
x=torch.rand(3,1).expand(3,4); x.int()+1
x=torch.rand(3,1).expand(3,4); torch.where(x>0,x,x)
x=torch.rand(3,1).expand(3,4); torch.where(x>0,x,0.)
x=torch.rand(3,1).expand(3,4); x.clamp(0,1)
x=torch.rand(3,1).expand(3,4); torch.lerp(x,x,0.5)
x=torch.rand(3,1).expand(3,4); torch.erf(x)
x=torch.rand(3,1).expand(3,4); torch.lgamma(x)
x=torch.rand(3,1).expand(3,4); x.cumsum(0)
x=torch.rand(3,1).expand(3,4); x.cumsum(1)
x=torch.rand(3,1).expand(3,4); x.softmax(1)
x=torch.rand(4,3).t(); x.tril()
x=torch.rand(3,1).expand(3,4); x.tril()
x=torch.rand(3,1).expand(3,4); x.masked_fill(x>0.5,0)
x=torch.rand(4,3).t(); x.index_select(0,torch.tensor([0,1]))
x=torch.rand(4,3).t(); x.gather(0,torch.zeros(3,4,dtype=torch.int64))
x=torch.rand(4,3).t(); x.index_add(0,torch.tensor([0]),torch.ones(1,4))
x=torch.rand(4,3).t(); x.scatter(0,torch.zeros(1,4,dtype=torch.int64),1)
x=torch.rand(4,3).t(); x.repeat(2,1)
x=torch.rand(4,3).t(); x.tile(2)
x=torch.rand(4,3).t(); x.repeat_interleave(2,0)
x=torch.rand(4,3).t(); F.pad(x,(1,1))
x=torch.rand(3,1).expand(3,4); F.pad(x,(1,1))
x=torch.rand(4,3).t(); x.nan_to_num()
x=torch.rand(4,3).t(); torch.addcmul(x,x,x)
x=torch.rand(4,3).t(); torch.cdist(x,x).stride()
x=torch.rand(4,3).t(); x@x.t()
x=torch.rand(4,3).t(); F.linear(x,torch.rand(2,4))
x=torch.rand(2,4,3).transpose(1,2); x.argmax(0)
x=torch.rand(4,3).t(); x.float()
x=torch.rand(4,3).t(); x.double()
x=torch.rand(4,3).t(); x.clone()
x=torch.rand(4,3).t(); torch.zeros_like(x)
x=torch.rand(4,6).t()[::2]; x.clone()
x=torch.rand(4,6).t()[::2]; x.double()
x=torch.rand(4,6).t()[::2]; torch.zeros_like(x)
x=torch.rand(4,6)[:,::2]; x.clone()
x=torch.rand(4,6)[:,::2]; x+1
x=torch.rand(4,6).t()[::2]; x+1
x=torch.rand(4,3).t(); x.reshape(-1)
x=torch.rand(4,3).t(); x.flatten()
x=torch.rand(4,3).t(); x.contiguous()
x=torch.rand(4,3).t(); x.detach().clone(memory_format=torch.contiguous_format)
x=torch.rand(4,3).t(); torch.zeros_like(x,memory_format=torch.contiguous_format)
x=torch.rand(2,3,4,5); torch.zeros_like(x,memory_format=cl)
x=torch.rand(2,3,4,5); torch.ones_like(x,memory_format=cl)
x=torch.rand(2,3,4,5); torch.full_like(x,1,memory_format=cl)
x=torch.rand(2,3,4,5); torch.rand_like(x,memory_format=cl).stride()
x=torch.rand(2,3,4,5); torch.randn_like(x,memory_format=cl).stride()
x=torch.rand(2,3,4,5); torch.randint_like(x,5,memory_format=cl).stride()
x=torch.rand(2,3,4,5); torch.empty_like(x,memory_format=cl).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); torch.zeros_like(x)
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); torch.rand_like(x).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); torch.zeros_like(x,memory_format=torch.contiguous_format)
torch.empty(2,3,4,5,memory_format=cl).stride()
torch.empty((2,3,4,5,6),memory_format=torch.channels_last_3d).stride()
torch.empty(2,3,memory_format=cl).stride()
torch.rand(2,3,4,5,memory_format=cl)
torch.zeros(2,3,4,5,memory_format=cl)
torch.full((2,3,4,5),1.,memory_format=cl)
x=torch.rand(2); x.resize_(2,3,4,5,memory_format=cl).stride()
x=torch.rand(120); x.resize_(2,3,4,5,memory_format=cl)
x=torch.rand(2); x.resize_as_(torch.rand(2,3,4,5),memory_format=cl).stride()
x=torch.rand(2,3,4,5); x.resize_as_(torch.rand(2,3,4,5).contiguous(memory_format=cl)).stride()
x=torch.rand(2,3,4,5); x.float(memory_format=cl).stride()
x=torch.rand(2,3,4,5); x.double(memory_format=cl).stride()
x=torch.rand(2,3,4,5); x.cpu(memory_format=cl).stride()
x=torch.rand(2,3,4,5); x.half(memory_format=cl).stride()
x=torch.rand(2,3,4,5); x.to(memory_format=cl).stride()
x=torch.rand(2,3,4,5); x.to(torch.float64,memory_format=cl).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); x.double().stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); x.to(torch.float64,memory_format=torch.contiguous_format).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); x.clone().stride()
x=torch.rand(2,3,4,5); x.clone(memory_format=cl).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); x.new_zeros(2,3,4,5).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); (x+1).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); x.relu().stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); (x+torch.rand(1,3,1,1)).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); F.conv2d(x,torch.rand(6,3,3,3)).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); F.conv2d(x,torch.rand(6,3,1,1)).stride()
x=torch.rand(2,3,4,5); F.conv2d(x,torch.rand(6,3,3,3).contiguous(memory_format=cl)).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); F.conv2d(x,torch.rand(3,1,3,3),groups=3).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); F.conv_transpose2d(x,torch.rand(3,6,3,3)).stride()
x=torch.rand(2,3,4,5,6).contiguous(memory_format=torch.channels_last_3d); F.conv3d(x,torch.rand(6,3,3,3,3)).stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl).requires_grad_(); F.conv2d(x,torch.rand(6,3,3,3)).sum().backward(); x.grad.stride()
x=torch.rand(2,3,4,5).contiguous(memory_format=cl); w=torch.rand(6,3,3,3).contiguous(memory_format=cl).requires_grad_(); F.conv2d(x,w).sum().backward(); w.grad.stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.max_pool2d(x,2).stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.max_pool2d(x,2,return_indices=True)[1].stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.avg_pool2d(x,2).stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.adaptive_avg_pool2d(x,2).stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.adaptive_max_pool2d(x,2).stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.lp_pool2d(x,2,2).stride()
x=torch.rand(2,3,4,4,4).contiguous(memory_format=torch.channels_last_3d); F.max_pool3d(x,2).stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.interpolate(x,scale_factor=2).stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.interpolate(x,scale_factor=2,mode="bilinear").stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.interpolate(x,scale_factor=2,mode="bicubic").stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.interpolate(x,scale_factor=2,mode="area").stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.interpolate(x,scale_factor=2,mode="bilinear",antialias=True).stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.interpolate(x,scale_factor=2,mode="nearest-exact").stride()
x=torch.rand(2,3,4,4,4).contiguous(memory_format=torch.channels_last_3d); F.interpolate(x,scale_factor=2).stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.pad(x,(1,1,1,1)).stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.pad(x,(1,1,1,1),mode="reflect").stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); F.pad(x,(1,1,1,1),mode="replicate").stride()
x=torch.rand(2,4,4,4).contiguous(memory_format=cl); F.pixel_unshuffle(x,2).stride()
x=torch.rand(2,4,4,4).contiguous(memory_format=cl); F.channel_shuffle(x,2).stride()
x=torch.rand(2,4,4,4).contiguous(memory_format=cl); F.batch_norm(x,torch.zeros(4),torch.ones(4)).stride()
x=torch.rand(2,4,4,4).contiguous(memory_format=cl); F.batch_norm(x,torch.zeros(4),torch.ones(4),training=True).stride()
x=torch.rand(2,4,4,4).contiguous(memory_format=cl); F.group_norm(x,2).stride()
x=torch.rand(2,4,4,4).contiguous(memory_format=cl); F.layer_norm(x,[4,4,4]).stride()
x=torch.rand(2,4,4,4).contiguous(memory_format=cl); F.softmax(x,1).stride()
x=torch.rand(2,4,4,4).contiguous(memory_format=cl); F.prelu(x,torch.ones(4)).stride()
x=torch.rand(2,4,4,4).contiguous(memory_format=cl); F.grid_sample(x,torch.rand(2,3,3,2)).stride()
nn.Conv2d(3,4,3).to(memory_format=cl).weight.stride()
m=nn.Conv2d(3,4,3).to(memory_format=cl); m(torch.rand(2,3,5,5)).stride()
m=nn.Sequential(nn.Conv2d(3,4,3),nn.BatchNorm2d(4),nn.ReLU(),nn.MaxPool2d(2)); m(torch.rand(2,3,6,6).to(memory_format=cl)).stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl).requires_grad_(); F.max_pool2d(x,2).sum().backward(); x.grad.stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl).requires_grad_(); (x*2).sum().backward(); x.grad.stride()
x=torch.rand(4,3).t().requires_grad_(); (x*2).sum().backward(); x.grad.stride()
x=torch.rand(2,3,4,4).contiguous(memory_format=cl); x.is_contiguous(memory_format=cl),x.is_contiguous()
x=torch.rand(3,1).expand(3,4); x.clone().view(-1).shape
x=torch.rand(2,4,4,4).contiguous(memory_format=cl); F.pixel_shuffle(x,2)
x=torch.rand(4,3).t(); x.index_put((torch.tensor([0]),),torch.ones(4))
x=torch.zeros(5,4,3); x[:,:,[0,2]]
x=torch.zeros(5,4,3); x[:,[[0,2],[1,1]]]
x=torch.zeros(5,4,3); x[:,[0,2],[1,1]]
x=torch.zeros(5,4,3); x[[0,2],:,[1,1]]
x=torch.zeros(5,4,3); x[:,torch.tensor([True,False,True,True])]
x=torch.zeros(5,4,3); x[:,torch.ones(4,3,dtype=torch.bool)]
x=torch.zeros(1,3,4).expand(2,3,4); x[:,[0,2]]
x=torch.zeros(1,3,4).expand(2,3,4); x[[0,0]]
x=torch.zeros(5,4,3); x[:,torch.tensor([[0,1,2]]).t()]
"""  # noqa: E501


@pytest.mark.parametrize("line", STRIDES.strip().splitlines())
def test_strides(line: str) -> None:
    """Both libraries agree on values and strides."""
    check(line)
