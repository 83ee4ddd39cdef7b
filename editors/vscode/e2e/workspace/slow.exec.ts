// Waits long enough to be interrupted.
return await tools.mcp__files__pause({ ms: 600_000 });
