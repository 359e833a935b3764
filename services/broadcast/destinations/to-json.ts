/**
 * Returns a value as JSON that every parser accepts. Callers may cut a text within a surrogate pair. The remaining half
 * is replaced as in UTF-8, because databases refuse a whole batch for it.
 */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  // An escaped backslash before the same letters is no surrogate and stays.
  return json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (escape) => (escape === '\\\\' ? escape : '\ufffd'));
}
