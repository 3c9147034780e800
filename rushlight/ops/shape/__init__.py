"""Views, joins, splits, and conversions of type."""
