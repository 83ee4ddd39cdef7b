/** Greets somebody. */
export default function (input: { /** Whom to greet. */ who: string; times?: number }) {
  return Array.from({ length: input.times ?? 1 }, () => `Hello, ${input.who}!`);
}
