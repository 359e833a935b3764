import { z } from 'zod';

const MAX_DEPTH = 32;

/** Returns the schema of a free-form JSON object that the database can store. */
export function jsonRecord() {
  return z.record(z.string(), z.unknown()).superRefine(refuseUnstorable);
}

/** Returns the schema of a free-form object with some known keys. Other keys pass through. */
export function openRecord<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.looseObject(shape).superRefine(refuseUnstorable);
}

interface Visit {
  value: unknown;
  path: (string | number)[];
}

/**
 * Rejects values that the database cannot store. It reports the first one only. It uses no recursion, so deep nesting
 * cannot exhaust the stack.
 */
export function refuseUnstorable(root: unknown, context: z.RefinementCtx): void {
  const visits: Visit[] = [{ value: root, path: [] }];
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
    const { value, path } = visit;
    const message = problemOf(value, path);
    if (message !== undefined) {
      context.addIssue({ code: 'custom', path, message });
      return;
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) visits.push({ value: child, path: [...path, key] });
  }
}

function problemOf(value: unknown, path: (string | number)[]): string | undefined {
  if (path.length > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`;
  const key = path.at(-1);
  const isText = isPlainText(value) && isPlainText(key);
  return isText ? undefined : 'must be Unicode text without NUL, names included';
}

function isPlainText(value: unknown): boolean {
  return typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'));
}
