"""Copies between arrays that lie in any way, with a change of type where one is wanted."""

from ... import late

late.modules(__name__, "select", "strided")
