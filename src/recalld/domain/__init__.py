"""The vocabulary of the product: plain values and rules, standard library only."""
