type Schema = Record<string, unknown>;

const MAX_DEPTH = 16;

/**
 * Returns a value that fits a JSON Schema, always the same for the same schema and words. Strings are the words,
 * numbers the smallest allowed, lists as short as allowed. Unknown schemas give null.
 */
export function schemaInstance(schema: Schema, words: string, depth = 0): unknown {
  if (depth > MAX_DEPTH) return null;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [alternative] = [schema['anyOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  if (isSchema(alternative)) return schemaInstance(alternative, words, depth + 1);
  switch (typeOf(schema)) {
    case 'object':
      return objectInstance(schema, words, depth);
    case 'array': {
      const items = isSchema(schema['items']) ? schema['items'] : {};
      const length = Math.min(Number(schema['minItems'] ?? 1), MAX_DEPTH);
      return Array.from({ length }, () => schemaInstance(items, words, depth + 1));
    }
    case 'string':
      return words;
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? 1);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function objectInstance(schema: Schema, words: string, depth: number): Schema {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  const entries = Object.entries(properties).map(([name, property]) => [
    name,
    schemaInstance(isSchema(property) ? property : {}, words, depth + 1),
  ]);
  return Object.fromEntries(entries) as Schema;
}

function typeOf(schema: Schema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return type.find((name) => name !== 'null');
  return type ?? ('properties' in schema ? 'object' : 'string');
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
