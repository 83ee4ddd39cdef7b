return await tools.mcp__files__pause({ ms: 8_000 });
