/** Plain JSON of a request or an answer, of which only the outer shape was checked. */
export type Fields = Record<string, unknown>;

/** Returns whether the value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the objects in a list; an empty list for any other value. */
export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Returns the object that a JSON text holds; undefined for any other text. */
export function fieldsInJson(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the value if it is a JSON object; an empty object otherwise. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

type Defined<Given> = {
  [Key in keyof Given as undefined extends Given[Key] ? never : Key]: Given[Key];
} & {
  [Key in keyof Given as undefined extends Given[Key] ? Key : never]?: Exclude<Given[Key], undefined>;
};

/** Returns a copy without the fields that are undefined. */
export function withoutUndefined<Given extends object>(fields: Given): Defined<Given> {
  const kept: Fields = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as Defined<Given>;
}
