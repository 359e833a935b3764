import { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;
type Json = Record<string, unknown>;

/**
 * Turns zod schemas into JSON Schema. Each schema with an id becomes a component once, wherever it occurs;
 * two different ones under one id are a mistake in the contract and throw.
 */
export function createSchemaCollector() {
  const components = new Map<string, JsonSchema>();

  function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, override: simplify });
    for (const [id, definition] of Object.entries($defs)) {
      const component = withComponentRefs(definition);
      const known = components.get(id);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component)) {
        throw new Error(`two different schemas have the id ${id}`);
      }
      components.set(id, component);
    }
    return withComponentRefs(root);
  }

  return {
    request: (schema: z.ZodType): JsonSchema => convert(schema, 'input'),
    response: (schema: z.ZodType): JsonSchema => convert(schema, 'output'),

    /** One OpenAPI parameter per property. Defaults and types are those after parsing: `limit` is a number. */
    parameters(place: 'path' | 'query' | 'header', object: z.ZodObject | undefined): Json[] {
      return Object.entries<z.ZodType>(object?.shape ?? {}).map(([name, property]) => {
        const { description, ...schema } = convert(property, 'output');
        const required = place === 'path' || !property.safeParse(undefined).success;
        return { name, in: place, required, ...(description ? { description } : {}), schema };
      });
    },

    components: (): Record<string, JsonSchema> =>
      Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

export type SchemaCollector = ReturnType<typeof createSchemaCollector>;

/**
 * Leaves out what says nothing to a reader: the safe-integer bounds, the pattern behind a named format, and
 * the ban on further properties in answers, since a client must tolerate fields that are added later.
 */
function simplify({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

function withComponentRefs(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
