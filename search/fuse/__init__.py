"""One ranking made of many. One fusion a file, with its paper."""
