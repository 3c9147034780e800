"""`torch.distributed.elastic`: what programs say to the launcher that has started them.

`multiprocessing.errors.record` writes what a program died of where the launcher finds it. The
launcher itself is `rushlight.distributed.run`, its parts are in `launcher/`.
"""
