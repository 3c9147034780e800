"""`torch.lobpcg`: a few of the largest or smallest eigenvalues of a large symmetric matrix.

Source: A. Knyazev, "Toward the optimal preconditioned eigensolver: locally optimal block
preconditioned conjugate gradient method", SIAM J. Sci. Comput. 23 (2001). In each step the best
vectors are sought in the space of the last ones, their residuals and the last direction; a basis of
it that is orthonormal in `B` keeps the small problem well-posed.
"""

from __future__ import annotations

import itertools
from typing import Any

import rushlight as torch
from rushlight.autograd.function import Function
from rushlight.errors import message

__all__ = ["LOBPCG", "lobpcg"]


def lobpcg(
    A: Any,
    k: int | None = None,
    B: Any = None,
    X: Any = None,
    n: int | None = None,
    iK: Any = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Any, Any]:
    """The `k` largest (or smallest) eigenvalues of A x = e B x, and their vectors.

    Args:
        A: a symmetric matrix (…, m, m), dense or sparse; its upper and lower halves are trusted to
            be equal.
        k: how many pairs; 1, or as many as `X` has columns.
        B: a symmetric positive matrix of the same shape; the identity without one.
        X: first guesses (…, m, n); random numbers without them.
        n: how many vectors are iterated, at least `k`.
        iK: a preconditioner (…, m, m), an approximate inverse of A.
        niter: how many steps at most: 1000. -1: as many as it takes.
        tol: how small residuals must become, in proportion to the norms of A and B: the square root
            of the type's precision.
        largest: False asks for the smallest.
        method: "ortho" or "basic", which are one here.
        tracker: called as `tracker(worker)` after each step, with what `LOBPCG` holds.
        ortho_iparams, ortho_fparams, ortho_bparams: of PyTorch's own way to a basis; accepted for
            its programs, for the basis here has no parameters.

    Returns:
        Eigenvalues (…, k), the largest (or smallest) first, and vectors (…, m, k) with X^T B X = 1.
        Gradients pass through both if `A` is dense and there is no `B`.

    Raises:
        ValueError: fewer than three rows for each vector.
        AssertionError: shapes that do not fit, as in PyTorch.

    >>> a = torch.diag(torch.arange(1.0, 10.0))
    >>> values, vectors = torch.lobpcg(a, k=2)
    >>> values.round(decimals=3), vectors.shape
    (tensor([9., 8.]), torch.Size([9, 2]))
    """
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise AssertionError(
            message(f"A must be square, got shape {A.shape}", wanted="(..., m, m)")
        )
    tracked = torch.is_grad_enabled() and (A.requires_grad or (B is not None and B.requires_grad))
    if tracked and A.layout is not torch.strided:
        raise ValueError("lobpcg.backward does not support sparse input yet.")
    if tracked and B is not None:
        raise ValueError("lobpcg.backward does not support backward with B != I yet.")
    options = (k, B, X, n, iK, niter, tol, largest, method, tracker)
    if tracked:
        # As in PyTorch: who varies one element alone, to check gradients, gets the symmetric part.
        values, vectors = LOBPCGAutogradFunction.apply((A + A.mT) / 2, options)
        return values, vectors
    with torch.no_grad():
        return _solved(A, *options)


def _solved(
    A: Any, k: Any, B: Any, X: Any, n: Any, iK: Any, niter: Any, tol: Any, largest: Any,
    method: Any, tracker: Any,
) -> tuple[Any, Any]:  # fmt: skip
    m = A.shape[-1]
    kind = A.dtype if A.dtype.is_floating_point else torch.get_default_dtype()
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if X is None else X.shape[-1]) if n is None else n
    if method not in (None, "ortho", "basic"):
        raise ValueError(
            message("lobpcg: unknown method", repr(method), "'ortho' or 'basic'")
        )
    if k < 1 or n < k:
        raise ValueError(message("lobpcg: how many pairs", f"k={k}, n={n}", "1 <= k <= n"))
    if m < 3 * n:
        raise ValueError(
            message(
                f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller "
                f"than 3 x the number of requested eigenpairs (={n})",
                hint="torch.linalg.eigh, which finds all of them",
            )
        )
    batch = A.shape[:-2]
    for name, value, shape in (("B", B, A.shape), ("X", X, (*batch, m, n)), ("iK", iK, A.shape)):
        if value is not None and tuple(value.shape) != tuple(shape):
            raise AssertionError(
                f"{name} shape mismatch: got {value.shape}, expected {tuple(shape)}"
            )
    tol = torch.finfo(kind).eps ** 0.5 if tol is None else tol
    limit = 1000 if niter is None else niter
    if X is None:
        X = torch.randn(*batch, m, n, dtype=kind)
    found = []
    for place in itertools.product(*map(range, batch)):
        worker = LOBPCG(
            A[place] if place else A, None if B is None else B[place] if place else B,
            X[place] if place else X, None if iK is None else iK[place] if place else iK,
            k, limit, tol, largest is not False, tracker,
        )  # fmt: skip
        worker.run()
        found.append((worker.E[:k], worker.X[:, :k]))
    if not batch:
        return found[0]
    values = torch.stack([e for e, _ in found]).reshape(*batch, k)
    return values, torch.stack([x for _, x in found]).reshape(*batch, m, k)


class LOBPCG:
    """The iteration for one matrix; `tracker`s look at its attributes.

    Attributes:
        A, B, iK: the problem.
        X, E: the vectors and values so far.
        R: their residuals.
        ivars: "istep", and "converged_count": how many of the first pairs have converged.
        fvars: "A_norm" and "B_norm".
        tvars: "rerr", the residuals' norms in proportion.

    >>> LOBPCG(torch.eye(6), None, torch.ones(6, 1), None, 1, 10, 1e-3, True, None).E is None
    True
    """

    def __init__(
        self, A: Any, B: Any, X: Any, iK: Any, k: int, niter: int, tol: float, largest: bool,
        tracker: Any,
    ) -> None:  # fmt: skip
        self.A, self.B, self.X, self.iK = A, B, X, iK
        self.k, self.niter, self.tol = k, niter, tol
        self.largest, self.tracker = largest, tracker
        self.E: Any = None
        self.R: Any = None
        self.ivars = {"istep": 0, "converged_count": 0, "k": k, "m": A.shape[-1], "n": X.shape[-1]}
        self.fvars: dict[str, float] = {}
        self.tvars: dict[str, Any] = {}
        self.bvars = {"largest": largest}

    def run(self) -> None:
        """Step until the first `k` pairs have converged."""
        probe = self.X
        size = probe.norm().item() or 1.0
        self.fvars["A_norm"] = (self.A @ probe).norm().item() / size
        self.fvars["B_norm"] = 1.0 if self.B is None else (self.B @ probe).norm().item() / size
        self.X = self.settle(self.basis(self.X))
        direction: Any = None
        for step in itertools.count(1):
            if 0 <= self.niter < step:
                break
            self.ivars["istep"] = step
            if self.converged():
                self.told()
                break
            residual = self.R if self.iK is None else self.iK @ self.R
            parts = [self.X, residual] if direction is None else [self.X, direction, residual]
            before = self.X
            self.X = self.settle(self.basis(torch.cat(parts, 1)), before.shape[1])
            # What is new in the vectors: the direction that conjugate gradients would take.
            direction = self.X - before @ (before.mT @ self.applied(self.X))
            self.told()
        self.converged()

    def applied(self, x: Any) -> Any:
        """B x."""
        return x if self.B is None else self.B @ x

    def basis(self, S: Any) -> Any:
        """Vectors that span what the columns of `S` span, orthonormal in B; fewer if some depend
        on others. Twice, since the first round leaves errors where columns were nearly parallel."""
        for _ in range(2):
            S = S / S.norm(dim=0).clamp_min(torch.finfo(S.dtype).tiny)
            gram = S.mT @ self.applied(S)
            values, vectors = torch.linalg.eigh((gram + gram.mT) / 2)
            kept = values > values[-1] * S.shape[1] * torch.finfo(S.dtype).eps
            S = S @ (vectors[:, kept] / values[kept].sqrt())
        return S

    def settle(self, Q: Any, n: int | None = None) -> Any:
        """The best vectors in the space of `Q` (Rayleigh and Ritz), and their values in `E`."""
        small = Q.mT @ (self.A @ Q)
        values, vectors = torch.linalg.eigh((small + small.mT) / 2)
        if self.largest:
            values, vectors = values.flip(0), vectors.flip(1)
        self.E = values[:n]
        return Q @ vectors[:, :n]

    def converged(self) -> bool:
        """Look at the residuals of the pairs: whether the first `k` are small enough."""
        self.R = self.A @ self.X - self.applied(self.X) * self.E
        scale = self.X.norm(dim=0) * (self.fvars["A_norm"] + self.E.abs() * self.fvars["B_norm"])
        self.tvars["rerr"] = self.R.norm(dim=0) / scale
        small = (self.tvars["rerr"] < self.tol).tolist()
        count = next((i for i, ok in enumerate(small) if not ok), len(small))
        self.ivars["converged_count"] = count
        return count >= self.k

    def told(self) -> None:
        """Show the state to the tracker."""
        if self.tracker is not None:
            self.tracker(self)


class LOBPCGAutogradFunction(Function):
    """Gradients: de = x^T dA x, and dx = (e - A)^+ dA x."""

    @staticmethod
    def forward(ctx: Any, A: Any, options: Any) -> Any:  # type: ignore[override]
        values, vectors = _solved(A, *options)
        ctx.save_for_backward(A, values, vectors)
        return values, vectors

    @staticmethod
    def backward(ctx: Any, of_values: Any, of_vectors: Any) -> Any:  # type: ignore[override]
        A, values, vectors = ctx.saved_tensors
        outer = vectors * of_values.unsqueeze(-2)
        columns = []
        for j in range(values.shape[-1]):
            shifted = values[..., j, None, None] * torch.eye(A.shape[-1], dtype=A.dtype) - A
            x, g = vectors[..., j : j + 1], of_vectors[..., j : j + 1]
            g = g - x @ (x.mT @ g)  # a vector keeps its length
            # 0 in the direction of x itself, whatever rounding makes of e - e
            moved = torch.linalg.pinv(shifted + x @ x.mT, hermitian=True) @ g
            columns.append(moved - x @ (x.mT @ moved))
        full = (outer + torch.cat(columns, -1)) @ vectors.mT
        return (full + full.mT) / 2, None
