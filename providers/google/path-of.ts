/** Returns the path of a model's method, below the base URL. */
export function pathOf(model: string, method: string): string {
  return `models/${encodeURIComponent(model)}:${method}`;
}
