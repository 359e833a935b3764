import type { z } from 'zod';

/** Makes a field that may be absent, or null, which is the same. Every optional field of a generation request is one. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().optional();

/**
 * Removes the named fields that are null from a parsed object, which nobody else holds. For objects that are passed on: some
 * vendors refuse a null where a field may be absent.
 */
export function dropNulls<Name extends string>(...names: Name[]) {
  return <Value extends { [N in Name]?: unknown }>(value: Value): Value => {
    for (const name of names) if (value[name] === null) delete value[name];
    return value;
  };
}
