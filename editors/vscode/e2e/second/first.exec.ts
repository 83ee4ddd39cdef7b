return await tools.mcp__files__pause({ ms: 60_000 });
