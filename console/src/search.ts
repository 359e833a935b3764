/** Reads the filters of a page from its URL. They are plain texts, so that people can read and share them. */

export type Search = Record<string, string | undefined>;

/** Returns the text of a filter; undefined if the URL does not have it. */
export function textOf(search: Record<string, unknown>, name: string): string | undefined {
  const value = search[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns those filters of the URL that a page knows. */
export function textsOf<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = textOf(search, name);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Returns the value if it is one of those that a page knows. */
export function oneOf<Value extends string>(value: unknown, known: readonly Value[]): Value | undefined {
  return known.find((candidate) => candidate === value);
}

/** Parses the query string of a URL. Of a repeated name, the last one counts. */
export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const set = Object.entries(search).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value]] : [],
  );
  const text = new URLSearchParams(set).toString();
  return text === '' ? '' : `?${text}`;
}
