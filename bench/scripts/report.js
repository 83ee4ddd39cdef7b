// What most scripts are: take lists apart, count, and return a little of it.
const rows = Array.from({ length: 2000 }, (_, i) => ({ id: i, owner: "u" + (i % 17), size: (i * 7919) % 1000, tags: ["t" + (i % 5), "x"] }));
const byOwner = new Map();
for (const { owner, size, tags } of rows) {
  const sum = byOwner.get(owner) ?? { count: 0, size: 0, tags: new Set() };
  sum.count++;
  sum.size += size;
  for (const tag of tags) sum.tags.add(tag);
  byOwner.set(owner, sum);
}
const top = [...byOwner].map(([owner, s]) => ({ owner, ...s, tags: [...s.tags].sort() })).sort((a, b) => b.size - a.size).slice(0, 3);
return JSON.parse(JSON.stringify(top)).map((t) => `${t.owner}: ${t.count}`).join(", ")
