/** Checks the JSON Schemas of the published description, and its examples against them. */
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { buildOpenApi } from '../../contract/openapi.ts';

const description = JSON.parse(JSON.stringify(buildOpenApi()));

// OpenAPI's own words in a schema, and formats, are annotations.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ $id: 'description', ...description });

interface Found {
  pointer: string;
  schema: object;
  /** The examples beside the schema. */
  examples: unknown[];
}

/** Finds every place of the description that has a schema. */
function* schemasIn(node: unknown, pointer = '#'): Generator<Found> {
  if (typeof node !== 'object' || node === null) return;
  const { schema, example, examples = {} } = node as Record<string, never>;
  if (schema !== undefined) {
    const named = Object.values<{ value: unknown }>(examples).map(({ value }) => value);
    yield { pointer: `${pointer}/schema`, schema, examples: example === undefined ? named : [example] };
  }
  for (const [name, child] of Object.entries(node)) {
    if (name === 'schema' || name === 'example' || name === 'examples' || name === 'schemas') continue;
    yield* schemasIn(child, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

const used = [...schemasIn(description)];
const components = Object.entries<object>(description.components.schemas);

describe('every schema', () => {
  test.each([
    ...components.map(([name, schema]) => [`#/components/schemas/${name}`, schema] as const),
    ...used.map(({ pointer, schema }) => [pointer, schema] as const),
  ])('conforms to JSON Schema 2020-12: %s', (_pointer, schema) => {
    void ajv.validateSchema(schema);
    expect(ajv.errors ?? []).toEqual([]);
  });

  test('describes lists without prefixItems or several schemas in items', () => {
    // Earlier dialects, and tools made for them, read a list of schemas in `items` as 2020-12 reads `prefixItems`.
    expect(JSON.stringify(description)).not.toMatch(/"prefixItems":|"items":(\[|false|true)/);
  });
});

const shown = used.filter(({ examples }) => examples.length > 0);

test.each(shown.map((found) => [found.pointer, found] as const))(
  'the schema %s accepts the examples beside it',
  (pointer, { examples }) => {
    const validate = ajv.compile({ $ref: `description${pointer}` });
    for (const example of examples) {
      validate(example);
      expect(validate.errors ?? []).toEqual([]);
    }
  },
);
