/** Joins the size rules of two endpoints, without repetition. Null means that an endpoint takes no size in pixels. */
export function eitherSizeRule(a: string | null, b: string | null): string | null {
  if (a === null || b === null || a === b) return a ?? b;
  return a.split('; or ').includes(b) ? a : `${a}; or ${b}`;
}
