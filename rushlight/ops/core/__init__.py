"""What an op record is and what is made of it: samples, overrides, public functions."""
