return JSON.parse(await tools.mcp__files__book({ city: "Ulm" }));
