return await tools.mcp__files__pause({ ms: 600_000 });
