return "0123456789abcdef".repeat(10 * 65_536);
