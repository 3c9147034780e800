"""Calls at the edges of functions, by theme: empty, singular, mistyped, in less usual forms.

Each line was run by both libraries; see `lines.py`. Most were found by PyTorch's own tests
(docs/pytorch_tests.md).
"""

from __future__ import annotations

import pytest

from .lines import check

BEFORE = (
    "T=torch.tensor; L=torch.linalg; reduce=torch.segment_reduce; "
    "grad=torch.autograd.grad; G=dict(requires_grad=True); "
    "masked,identity=torch.masked,torch.masked._reduction_identity; "
    "d,m=T([[1.,0,3],[0,0,0]]),T([[1,1,0],[0,0,0]])>0; "
    "native_layer_norm,native_batch_norm,native_group_norm="
    "torch.native_layer_norm,torch.native_batch_norm,torch.native_group_norm; "
)
SEGMENTS = r"""
reduce(torch.arange(12.).reshape(6,2),"sum",lengths=T([1,0,3,2]))
reduce(T([1.,nan,3,4,5,6]),"mean",lengths=T([1,0,3,2]))
reduce(T([1.,nan,3,4,5,6]),"max",lengths=T([1,0,3,2]))
reduce(T([1.,nan,3,4,5,6]),"min",lengths=T([1,0,3,2]),initial=2)
reduce(T([1.,2,3,4,5,6]),"prod",lengths=T([1,0,3,2]),initial=2)
reduce(T([1.,2,3,4,5,6]),"mean",lengths=T([1,0,3,2]),initial=2)
reduce(torch.arange(6.),"sum",offsets=T([1,1,1,4,6]))
reduce(torch.arange(12.).reshape(2,6),"max",offsets=T([[0,2,6],[0,3,6]]),axis=1)
reduce(torch.arange(12.).reshape(2,6),"sum",lengths=T([1,0,3,2]),axis=1)
reduce(torch.arange(6.),"sum",lengths=T([1,1,1]))
reduce(torch.arange(6.),"sum",lengths=T([-1,1,6]))
reduce(torch.arange(6.),"sum",lengths=T([4,0]),unsafe=True)
reduce(torch.arange(6.),"nothing",lengths=T([6]))
reduce(torch.arange(6.),"sum")
reduce(torch.arange(6.),"sum",lengths=T([6.]))
reduce(torch.arange(6.),"sum",indices=T([6]))
reduce(torch.arange(6),"sum",lengths=T([6]))
reduce(torch.zeros(0,2),"max",lengths=torch.zeros(3,dtype=torch.int))
reduce(torch.arange(6.).half(),"mean",lengths=T([2,4]))
torch._segment_reduce(torch.arange(6.),"sum",lengths=T([6]))
x=T([1.,3,3,3,0,2,0],**G); grad(reduce(x,"max",lengths=T([4,3])).sum(),x)
x=T([1.,3,3,3,0,2,0],**G); grad(reduce(x,"min",lengths=T([4,3,0]),initial=0).sum(),x)
x=T([1.,3,3,3,0,2,5],**G); grad(reduce(x,"prod",lengths=T([4,3,0]),initial=2).sum(),x)
x=T([1.,3,3,3,0,2,5],**G); grad(reduce(x,"mean",lengths=T([4,3,0])).nansum(),x)
x=torch.ones(3,**G); y=reduce(x,"sum",lengths=T([3])); grad(y,x,create_graph=True)[0].backward(x)
"""
HASHES = r"""
torch.hash_tensor(T([[1.,2],[3,4],[7,5]])).item()
torch.hash_tensor(T([[1,2],[3,-4],[7,5]])).item()
torch.hash_tensor(T([[1.,2],[3,4],[7,5]]),0).tolist()
torch.hash_tensor(T([[1.,2],[3,4],[7,5]]),(0,1),keepdim=True).tolist()
torch.hash_tensor(torch.ones(3).bfloat16()).item()
torch.hash_tensor(T(True)).item()
torch.hash_tensor(torch.ones(3),mode=1)
torch.hash_tensor(torch.zeros(0,3))
torch.hash_tensor(torch.zeros(0,3),0)
torch.hash_tensor(torch.zeros(0,3),1).tolist()
torch.hash_tensor(torch.ones(3,dtype=torch.cfloat))
"""
HISTOGRAMS = r"""
torch.histogramdd(torch.arange(12.).reshape(6,2)%5,2)
torch.histogramdd(torch.arange(12.).reshape(6,2)%5,(2,3))
torch.histogramdd(torch.arange(12.).reshape(6,2)%5,[T([0.,1,4]),T([0.,3,4])])
torch.histogramdd(torch.arange(12.).reshape(6,2)%5,[2,2],[0,2,0,2],torch.arange(6.),True)
torch.histogramdd(torch.arange(12.).reshape(2,3,2)%5,[2,2],weight=torch.arange(6.).reshape(2,3))
torch.histogramdd(torch.arange(12.).reshape(6,2),[2,2],range=[0,1])
torch.histogramdd(torch.arange(12.).reshape(6,2),[2,2],range=[1,0,0,1])
torch.histogramdd(torch.arange(12.).reshape(6,2),[2])
torch.histogramdd(torch.arange(12.).reshape(6,2),[torch.ones(2)])
torch.histogramdd(torch.arange(12.).reshape(6,2),[2,2],weight=torch.ones(3))
torch.histogramdd(torch.arange(12.).reshape(6,2),[2,2],weight=torch.ones(6).double())
torch.histogramdd(torch.arange(12).reshape(6,2),[2,2])
torch.histogramdd(torch.ones(2),[2,2])
torch.histogramdd(torch.zeros(0,2),[2,2])
torch.histogramdd(torch.ones(3,2),[2,2])
torch.histogramdd(torch.ones(3,2),[2,2.5])
torch.histogramdd(torch.ones(3,2),[torch.ones(2),3])
torch.histogramdd(torch.ones(3,2),[torch.ones(2).double()]*2)
torch.histogramdd(torch.ones(3,2),[0,2])
torch.histogram(torch.ones(3),0)
torch.histogram(torch.ones(3),3,range=(1,0))
torch.histogram(torch.ones(3),3,range=(0,nan))
torch.histogram(torch.ones(3),torch.ones(2,2))
torch.histogram(torch.ones(3,dtype=torch.long),3)
torch.histogram(torch.ones(3),3,weight=torch.ones(2))
torch.histogram(torch.ones(3),T([3.]))
torch.histogram(torch.ones(3),T([3.,2,1]))
torch.histogram(T([1,2,nan,3.]),T([0.,2,4]))
torch.histc(torch.ones(3,dtype=torch.long),3)
torch.histc(torch.ones(3),0)
"""
NORMS = r"""
native_layer_norm(torch.arange(12.).reshape(3,2,2)%5,[2,2],torch.ones(2,2),None,1e-5)
native_layer_norm(torch.arange(12.).reshape(3,2,2)%5,(2,),None,None,1e-5)
[t.dtype for t in native_layer_norm(torch.ones(3,2).bfloat16(),[2],None,None,1e-5)]
v=torch.ones(2); [t.dtype for t in native_layer_norm(torch.eye(2).bfloat16(),[2],v,v,1e-5)]
native_batch_norm(torch.arange(12.).reshape(6,2)%5,None,None,None,None,True,0.1,1e-5)
m,v=torch.zeros(2),torch.ones(2); native_batch_norm(torch.eye(2),v+1,v+2,m,v,True,0.1,1e-5), m, v
v=torch.ones(2); native_batch_norm(torch.eye(2)*3,None,None,v,v,False,0.1,1e-5)
native_group_norm(torch.arange(12.).reshape(2,2,3)%5,torch.ones(2),None,2,2,3,2,1e-5)
native_group_norm(torch.arange(12.).reshape(2,2,3)%5,None,None,2,2,3,1,1e-5)
"""
LDL = r"""
L.ldl_factor_ex(torch.zeros(3,3))
L.ldl_factor(torch.zeros(3,3))
L.ldl_factor(torch.zeros(2,0,0))
L.ldl_factor(torch.zeros(2,3))
L.ldl_factor(torch.zeros(3))
L.ldl_factor(torch.ones(2,2,dtype=torch.long))
L.ldl_factor(T([[0.,2,1],[2,0,3],[1,3,0]]))
L.ldl_factor(T([[0.,2j,1],[-2j,0,3],[1,3,0]]),hermitian=True)
L.ldl_factor(T([[1j,2j,1],[2j,0,3],[1,3,0]]))
L.ldl_solve(*L.ldl_factor(T([[0.,2,1],[2,0,3],[1,3,0]])),torch.ones(3,2))
L.ldl_solve(*L.ldl_factor(torch.eye(3)),torch.ones(3))
L.ldl_solve(torch.eye(3),torch.ones(3),torch.ones(3,1))
L.ldl_solve(torch.eye(3),torch.ones(2,dtype=torch.int),torch.ones(3,1))
L.ldl_solve(torch.eye(3),torch.ones(3,dtype=torch.int),torch.ones(3,1).double())
L.ldl_solve(torch.eye(3),torch.ones(3,dtype=torch.int),torch.ones(2,1))
L.ldl_factor(torch.eye(3,requires_grad=True))[0].sum().backward()
torch.special.airy_ai(T([-30,-10,-2.5,-1,0,1,5,50,200,inf,-inf,nan]))
torch.special.airy_ai(torch.arange(3))
torch.special.airy_ai(torch.ones(2,requires_grad=True)).requires_grad
torch.special.airy_ai(torch.ones(2,dtype=torch.cfloat))
"""
BUFFERS = r"""
torch.frombuffer(bytearray(range(16)),dtype=torch.int32,count=2,offset=4)
torch.frombuffer(bytearray(range(16)),dtype=torch.int32,count=5)
torch.frombuffer(bytearray(range(16)),dtype=torch.int32,offset=16)
torch.frombuffer(bytearray(range(16)),dtype=torch.int32,offset=-1)
torch.frombuffer(bytearray(range(16)),dtype=torch.int32,offset=3)
torch.frombuffer(bytearray(range(16)),dtype=torch.int32,count=0)
torch.frombuffer([1],dtype=torch.int8)
torch.frombuffer(np.ones((2,4))[:,::2],dtype=torch.float64)
torch.asarray(memoryview(np.arange(4.)))
torch.asarray(memoryview(np.arange(4)*1j),dtype=torch.complex128)
a=np.arange(4.); torch.asarray(memoryview(a),dtype=torch.float64).data_ptr()==a.ctypes.data
torch.asarray(memoryview(np.array([True,False])))
torch.asarray(bytearray(b"abcd"),dtype=torch.int16)
t=T([1.,2]); torch.asarray(t.__dlpack__()).data_ptr()==t.data_ptr()
torch.asarray(T([1.,2]).__dlpack__(),dtype=torch.int32)
torch.asarray(T([1.,2]),copy=False,dtype=torch.float64)
torch.asarray(T([1.,2]),copy=False,device="meta")
torch.asarray(np.float64(3),copy=False)
torch.asarray(np.float64(3),copy=True)
torch.asarray([1,2],copy=False)
torch.asarray(5,copy=False)
torch.asarray("abc")
torch.as_tensor([1,2],copy=True)
T([1.,2]).__dlpack__(stream=object())
T([1.,2]).__dlpack__(stream=1)
"""
MASKED = r"""
masked._output_mask(masked.sum,d,1,mask=m)
masked._output_mask(masked.norm,d,2.0,1,mask=m)
masked._output_mask(masked.softmax,d,1,mask=m)
masked._output_mask(torch.exp,d,mask=m)
masked._input_mask(torch.ones(2,3))
masked._input_mask(torch.ones(2,3),mask=T([1,0,1]))
masked._input_mask(torch.ones(2,3),mask=torch.ones(1,2,3))
masked._where(T([True,False]),T([1.,2]),T(5.))
[identity(n,T([1.])) for n in ("sum","prod","amax","argmin","median")]
[identity(n,T([1])) for n in ("cumsum","amax","amin","mean","std")]
identity("norm",T([1.]),-inf)
identity("amax",T([True]))
identity("softmax",T([1.]))
[masked._canonical_dim(d,3) for d in (None,(),-1,(2,0),[1])]
masked._canonical_dim((0,0),3)
masked.prod(torch.ones(2,2),(0,0))
masked.prod(torch.ones(2,2),3)
masked.sum(d.to_sparse(),mask=m.to_sparse()).to_dense()
masked.prod(torch.ones(2,2).to_sparse(),1)
masked.mean(torch.ones(2,2).to_sparse(),1)
masked.sum(torch.ones(2,2).to_sparse_csr(),1)
"""
CREATION = r"""
torch.complex(T([1]),T([1.]))
torch.complex(T([1.]),T([1.]).double())
torch.complex(T([1.]).bfloat16(),T([1.]).bfloat16())
torch.polar(T([True]),T([True]))
torch.kaiser_window(5,dtype=torch.int64)
torch.hann_window(5,dtype=torch.int64)
torch.hamming_window(5,dtype=torch.cfloat)
torch.bartlett_window(5,layout=torch.sparse_coo)
torch.linspace(0,1j,5)
torch.linspace(1+2j,3,3)
torch.linspace(1+2j,3,1)
torch.linspace(0,1j,5,dtype=torch.float32)
torch.linspace(0,1j,5,dtype=torch.complex128)
torch.logspace(0,1j,3)
torch.logspace(0,1+1j,3,base=2)
torch.logspace(0,1j,3,dtype=torch.float32)
torch.cat([torch.zeros(0),torch.zeros(0)],dim=1)
torch.cat([torch.zeros(0),torch.zeros(0)],dim=-2)
torch.cat([torch.zeros(0),torch.zeros(0,3)],dim=2)
torch.repeat_interleave(T([[1,2],[3,4]]))
torch.repeat_interleave(T([1.,2]))
torch.repeat_interleave(T([1,-2]))
torch.repeat_interleave(T(3))
torch.repeat_interleave(T([1,2]),output_size=4)
torch.meshgrid(T([1.]),torch.ones(2,device="meta"),indexing="ij")
torch.block_diag(T([1.]),torch.ones(1,1,1))
torch.empty_strided((2,3),(1,))
T([1.]).new_empty_strided((2,3),(1,))
T([1+2j,0j],dtype=torch.bool)
l=[]; l.append(l); T(l)
T([1.,2]).flip()
torch.flip(T([1.,2]),0)
torch.flip(T([1.,2]),dims=0)
torch.flip(T([1.,2]),[0])
T([1.,2]).flip(())
torch.nonzero(T([1.,2]),as_tuple=True,out=T([1]))
"""
FACTORS = r"""
A=torch.eye(3)+1; L.inv(A,out=torch.zeros(3,3).double())
A=torch.eye(3)+1; L.inv(A,out=torch.zeros(3,3).int())
A=torch.eye(3)+1; L.cond(A,out=torch.zeros(()).double())
A=torch.eye(3)+1; L.cond(A,out=torch.zeros(()).int())
A=torch.eye(3)+1; L.slogdet(A,out=(torch.zeros(()).double(),torch.zeros(())))
A=torch.eye(3)+1; L.eigvals(A,out=torch.zeros(3))
L.cond(torch.zeros(3,3),1)
L.cond(torch.ones(3,3),"fro")
L.norm(torch.ones(3,3),ord=1,axis=(-2,-1))
L.norm(torch.ones(3,3),ord=1,dim=(-2,-1),out=torch.zeros(()))
torch.cholesky_inverse(torch.ones(3))
torch.cholesky_inverse(torch.ones(2,3))
L.lstsq(torch.ones(3),torch.ones(3))
L.lstsq(torch.ones(3,3),torch.ones(()))
L.lstsq(torch.ones(3,3),torch.ones(3,3).double())
L.lstsq(torch.ones(2,3,3),torch.ones(3))
LU,p=L.lu_factor(torch.eye(3)+1); L.lu_solve(LU,p*0,torch.ones(3,1))
LU,p=L.lu_factor(torch.eye(3)+1); L.lu_solve(LU,p+5,torch.ones(3,1))
LU,p=L.lu_factor(torch.eye(3)+1); L.lu_solve(LU,p.long(),torch.ones(3,1))
LU,p=L.lu_factor(torch.eye(3)+1); L.lu_solve(LU,p,torch.ones(3,1).double())
LU,p=L.lu_factor(torch.eye(3)+1); L.lu_solve(LU,p,torch.ones(2,1))
LU,p=L.lu_factor(torch.eye(3)+1); torch.lu_unpack(LU,p*0)
LU,p=L.lu_factor(torch.eye(3)+1); torch.lu_unpack(LU,p.long())
torch._C._infer_size(torch.ones(2,1).shape,torch.ones(3).shape)
"""
SPARSE = r"""
x=d.to_sparse(); torch.abs(x,out=torch.zeros(2,3).to_sparse()).to_dense()
x=d.to_sparse(); o=torch.zeros(2,3).to_sparse(); torch.mul(x,2,out=o); o.to_dense()
d.to_sparse().to_sparse(layout=torch.strided)
x=d.to_sparse(); torch._validate_sparse_coo_tensor_args(x.indices(),x.values(),x.shape)
x=d.to_sparse(); torch._validate_sparse_coo_tensor_args(x.indices()+5,x.values(),x.shape)
"""
DATA = (SEGMENTS, HASHES, HISTOGRAMS, NORMS, BUFFERS, MASKED, CREATION)
MATRICES = (LDL, FACTORS, SPARSE)
LINES = [line for theme in (*DATA, *MATRICES) for line in theme.strip().splitlines()]


@pytest.mark.parametrize("line", LINES)
def test_edges(line: str) -> None:
    check(BEFORE + line)
