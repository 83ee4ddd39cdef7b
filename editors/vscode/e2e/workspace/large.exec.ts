return { rows: Array.from({ length: 60_000 }, (_, id) => ({ id, name: `record ${id}`, note: "x".repeat(100) })) };
