"""Wire models; class names are the contract's component names."""
