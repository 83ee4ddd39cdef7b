/** @example {"name": "Ada"} */
export default async function (input: { name: string; times?: number; options?: { loud: boolean } }) {
  const { name, times = 1 } = input;
  return `${name} `.repeat(times).trim();
}
