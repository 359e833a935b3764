import { invalidRequest } from '../../domain/errors.ts';

/** Far above what any field of the contract takes, far below what makes validation slow. */
const MAX_ENTRIES = 1_000;

/**
 * Refuses a body with a list or object of more entries than any field takes, before it is held against the
 * schema: a million wrong elements would otherwise be a million issues.
 */
export function refuseSprawl(body: unknown): void {
  const waiting: [string, unknown][] = [['body', body]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, value] = next;
    if (typeof value !== 'object' || value === null) continue;
    const entries = Object.entries(value);
    if (entries.length > MAX_ENTRIES) {
      throw invalidRequest({ path, message: `must have at most ${MAX_ENTRIES} entries` });
    }
    for (const [name, entry] of entries) {
      if (typeof entry === 'object' && entry !== null) waiting.push([`${path}.${name}`, entry]);
    }
  }
}
