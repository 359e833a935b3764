import { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;
type Json = Record<string, unknown>;

/**
 * Converts zod schemas to JSON Schema. A schema with an id becomes a component once; two different schemas with the
 * same id throw.
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

    /** Returns one OpenAPI parameter per property, with the types and defaults after parsing: `limit` is a number. */
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
 * Removes details that a reader does not need: safe-integer bounds, and patterns of named formats. It also removes the
 * ban on further properties in answers, since clients must tolerate new fields.
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
