"""What travels between client and server: message types, JSON decoding and encoding, positions and file URIs."""
