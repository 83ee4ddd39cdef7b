const all = await Promise.all(Array.from({ length: 100 }, (_, i) => tools.echo({ i, text: "some text" })));
return all.reduce((sum, r) => sum + r.i, 0)
