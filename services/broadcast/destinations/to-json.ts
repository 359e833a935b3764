/**
 * Returns a value as JSON that every parser accepts. Callers may cut a text within a surrogate pair, and databases
 * refuse a whole batch for the remaining half, so it is replaced as in UTF-8.
 */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  // An escaped backslash may stand before the same letters.
  return json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (escape) => (escape === '\\\\' ? escape : '\ufffd'));
}
