const files = ["/tmp/a", "/tmp/b", "/tmp/c", "/tmp/d"];
await Promise.all(files.map((path) => tools.mcp__files__delete_file({ path, reason: "no longer needed" })));
return `${files.length} files deleted`;
