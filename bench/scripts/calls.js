let sum = 0;
for (let i = 0; i < 100; i++) sum += (await tools.echo({ i, text: "some text" })).i;
return sum
