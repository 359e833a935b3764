import { AppError } from '../../../domain/errors.ts';

/** Far above what most fields of the contract take, far below what makes validation slow. */
const USUAL_MAX_ENTRIES = 1_000;

/** What is written out again for the upstream is written by recursion. */
export const MAX_DEPTH = 200;

/** In all: an object costs a hundred times the two bytes that it takes to write. */
export const MAX_OBJECTS = 300_000;

/**
 * Refuses a body with a list or object of more entries than any field takes, with too many of them, or nested too
 * deeply, before it is held against the schema: a million wrong elements would otherwise be a million issues. On the
 * way of every request: nothing is named, and nothing put aside, until something is wrong.
 */
export function refuseSprawl(body: unknown, maxEntries = USUAL_MAX_ENTRIES): void {
  if (typeof body !== 'object' || body === null) return;
  let objects = 0;
  const look = (value: object, depth: number): void => {
    if (depth > MAX_DEPTH) {
      throw tooMany('body', `must not be nested deeper than ${MAX_DEPTH} levels`);
    }
    objects += 1;
    if (objects > MAX_OBJECTS) {
      throw tooMany('body', `must have at most ${MAX_OBJECTS} objects and lists`);
    }
    const isList = Array.isArray(value);
    let entries = isList ? value.length : 0;
    if (entries > maxEntries) refuse(body, value, maxEntries);
    if (isList) {
      for (const child of value as unknown[])
        if (typeof child === 'object' && child !== null) look(child, depth + 1);
      return;
    }
    for (const name in value) {
      entries += 1;
      if (entries > maxEntries) refuse(body, value, maxEntries);
      const child = (value as Record<string, unknown>)[name];
      if (typeof child === 'object' && child !== null) look(child, depth + 1);
    }
  };
  look(body, 0);
}

function refuse(body: object, sprawling: object, maxEntries: number): never {
  const waiting: [string, object][] = [['body', body]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, value] = next;
    if (value === sprawling) {
      throw tooMany(path, `must have at most ${maxEntries} entries`);
    }
    for (const [name, child] of Object.entries(value)) {
      if (typeof child === 'object' && child !== null) waiting.push([`${path}.${name}`, child]);
    }
  }
  throw tooMany('body', `must have at most ${maxEntries} entries`);
}

/** Builds the 400 for a body that is too large in its structure. SCIM has a word for it. */
export function tooMany(path: string, message: string): AppError {
  return new AppError('invalid_request', { issues: [{ path, message }], scimType: 'tooMany' });
}
