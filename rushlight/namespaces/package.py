"""`torch.package`: code and weights in one file; the names say that there is no such thing."""

from __future__ import annotations

from rushlight import unsupported

__getattr__, __dir__ = unsupported.module(
    __name__,
    "Directory EmptyMatchError GlobGroup Importer ObjMismatchError ObjNotFoundError "
    "OrderedImporter PackageExporter PackageImporter PackagingError SysImporter "
    "is_from_package sys_importer",
    "archives that hold code",
    "torch.save(model.state_dict(), path), and the code in a package of its own",
)
