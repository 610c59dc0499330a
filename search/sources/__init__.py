"""Where a first ranking comes from. Each source answers a query; none knows another."""
