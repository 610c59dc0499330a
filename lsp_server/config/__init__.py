"""What the user decides: options become settings, settings become engines, and only allowed folders become vaults."""
