// Bare arithmetic: what an interpreter is slowest at.
let n = 0;
for (let i = 0; i < 300000; i++) n = (n * 31 + i) % 1000003;
return n
