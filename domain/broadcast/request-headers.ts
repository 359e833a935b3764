/** Checks the headers that a customer adds to requests of an observability destination. */
import { HOP_BY_HOP } from '../hop-by-hop.ts';

const MAX_HEADERS = 50;
const MAX_HEADER_BYTES = 8 * 1024;

const NAME_PATTERN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const VALUE_PATTERN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Headers that an owner may not set: they belong to the connection or depend on the body. Headers that begin with
 * `content-` are refused too.
 */
const FORBIDDEN = new Set(['host', 'expect', ...HOP_BY_HOP]);

/** Returns the broken rules of the headers that an owner adds to every request of a destination. */
export function issuesOfHeaders(headers: Record<string, string>): { path: string[]; message: string }[] {
  const entries = Object.entries(headers);
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const seen = new Set<string>();
  const issues = entries.flatMap(([name, value]) => {
    const message = problemOf(name, value, seen);
    seen.add(name.toLowerCase());
    return message === undefined ? [] : [{ path: [name], message }];
  });
  if (entries.length > MAX_HEADERS) {
    issues.push({ path: [], message: `must have at most ${MAX_HEADERS} headers` });
  }
  if (bytes > MAX_HEADER_BYTES) {
    issues.push({ path: [], message: `must have at most ${MAX_HEADER_BYTES} bytes in all names and values` });
  }
  return issues;
}

function problemOf(name: string, value: string, seen: ReadonlySet<string>): string | undefined {
  const lower = name.toLowerCase();
  if (!NAME_PATTERN.test(name)) return 'is no name of a header';
  if (FORBIDDEN.has(lower) || lower.startsWith('content-')) return 'is a header that must not be set';
  if (seen.has(lower)) return 'repeats another header';
  return VALUE_PATTERN.test(value)
    ? undefined
    : 'must be printable ASCII characters without spaces at either end';
}
