/** Puts a long text into every place of a request, one place at a time. */
import { z } from 'zod';

/** A body with the text in one place. */
export interface PlantedBody {
  /** The place, such as `messages.0.content.1.text`. */
  path: string;
  body: Record<string, unknown>;
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field that no schema names. */
const UNKNOWN = 'a_field_of_tomorrow';

/**
 * Returns bodies with the text in place of each text of a sample, in a new field of each of its objects, and as the
 * name of that field.
 */
export function plantInSample(sample: Json, text: string): PlantedBody[] {
  return placesIn(sample, text).map(({ path, value }) => ({ path: path.join('.'), body: value as Json }));
}

interface Place {
  path: (string | number)[];
  value: unknown;
}

function placesIn(value: unknown, text: string): Place[] {
  if (typeof value === 'string') return [{ path: [], value: text }];
  if (Array.isArray(value)) {
    return value.flatMap((each: unknown, index) =>
      placesIn(each, text).map((place) => ({
        path: [index, ...place.path],
        value: value.with(index, place.value),
      })),
    );
  }
  if (!isObject(value)) return [];
  const inside = Object.entries(value).flatMap(([name, held]) =>
    placesIn(held, text).map((place) => ({
      path: [name, ...place.path],
      value: { ...value, [name]: place.value },
    })),
  );
  return [
    ...inside,
    { path: [UNKNOWN], value: { ...value, [UNKNOWN]: text } },
    { path: [`${UNKNOWN} (nested)`], value: { ...value, [UNKNOWN]: { parts: [{ text }] } } },
    { path: ['(a name)'], value: { ...value, [text]: true } },
  ];
}

/** Returns bodies with the text in each field that the schema names and the sample lacks. */
export function plantBySchema(schema: z.ZodType, sample: Json, text: string): PlantedBody[] {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;
  const { properties = {} } = root as { properties?: Record<string, Json> };
  return Object.entries(properties)
    .filter(([name]) => !(name in sample))
    .flatMap(([name, node]) =>
      valuesOf(root, node, text, 4).map((value, index) => ({
        path: `${name} (${index})`,
        body: { ...sample, [name]: value },
      })),
    );
}

/** Returns values of a schema that hold the text. */
function valuesOf(root: Json, node: Json, text: string, depth: number): unknown[] {
  if (depth === 0) return [];
  const { $ref, anyOf, oneOf, allOf, type, properties, items, additionalProperties } = node;
  const deeper = (inner: unknown) => valuesOf(root, isObject(inner) ? inner : {}, text, depth - 1);
  if (typeof $ref === 'string') return deeper(resolve(root, $ref));
  const choices = (anyOf ?? oneOf ?? allOf) as unknown[] | undefined;
  if (choices !== undefined) return choices.flatMap(deeper);
  if (type === 'array') return deeper(items).map((value) => [value]);
  if (type === 'object') {
    const known = Object.entries((properties ?? {}) as Json);
    const inProperties = known.flatMap(([name, inner]) => deeper(inner).map((value) => ({ [name]: value })));
    const others = additionalProperties === false ? [] : [{ [UNKNOWN]: text }];
    return [...inProperties, ...others];
  }
  return type === undefined || type === 'string' ? [text] : [];
}

function resolve(root: Json, ref: string): unknown {
  let value: unknown = root;
  for (const name of ref.replace(/^#\/?/, '').split('/')) {
    if (name !== '') value = isObject(value) ? value[name] : undefined;
  }
  return value;
}
