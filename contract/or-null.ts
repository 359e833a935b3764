/** Treats null as absent in request bodies. */
import type { z } from 'zod';

/** Makes a field optional and nullable; null counts as absent. All optional fields of generation requests use it. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().optional();

/**
 * Removes the named null fields from a parsed object in place. Passed-on objects need it: some vendors reject null
 * where a field may be absent.
 */
export function dropNulls<Name extends string>(...names: Name[]) {
  return <Value extends { [N in Name]?: unknown }>(value: Value): Value => {
    for (const name of names) if (value[name] === null) delete value[name];
    return value;
  };
}

/**
 * Removes all null fields from a parsed object, and from copies of the objects in its `inner` fields. Used for objects
 * in which null is never a value.
 */
export function dropEveryNull(...inner: string[]) {
  return <Value extends object>(value: Value): Value => {
    const fields = value as Record<string, unknown>;
    for (const name in fields) {
      const field = fields[name];
      if (field === null) delete fields[name];
      else if (inner.includes(name) && typeof field === 'object') fields[name] = withoutNulls(field);
    }
    return value;
  };
}

function withoutNulls(value: object): object {
  if (Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}
