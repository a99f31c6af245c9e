"""Decision models over the network: what is sent, how it is packed, and who sends it."""
