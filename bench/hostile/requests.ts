/** Builds hostile requests for an operation: extreme paths and queries, and malformed, huge or compressed bodies. */
import { gzipSync } from 'node:zlib';
import type { OperationDefinition } from '../../contract/operation.ts';
import { INJECTION, malformedBodies, wrongBodies, type HostileBody } from './bodies.ts';

export interface HostileRequest {
  name: string;
  method: string;
  /** The path below the base of the API. */
  target: string;
  headers: Record<string, string>;
  body?: Buffer;
}

/** The longest query that the benchmark sends. Node itself refuses heads of more than 16 KiB. */
const MAX_QUERY_BYTES = 12_000;

/** Returns all hostile requests for an operation. */
export function hostileRequests(operation: OperationDefinition): HostileRequest[] {
  const target = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PARAMS[name] ?? 'x');
  const requests: HostileRequest[] = [
    ...hostilePaths(operation).map((path) => ({ name: `path ${shorten(path)}`, target: path })),
    ...hostileQueries(operation).map((query) => ({
      name: `query ${shorten(query)}`,
      target: `${target}?${query}`,
    })),
    ...bodiesOf(operation).map(({ name, bytes, encoding }) => ({
      name,
      target,
      body: bytes,
      headers: { 'content-type': 'application/json', ...(encoding && { 'content-encoding': encoding }) },
    })),
  ].map((request) => ({ method: operation.method.toUpperCase(), headers: {}, ...request }));
  return requests;
}

/** Values of path parameters in the form that the API expects. */
const PARAMS: Record<string, string> = {
  id: '3c9c3b1e-0000-4000-8000-000000000001',
  hash: 'a'.repeat(64),
  interval: 'monthly',
};

function bodiesOf({ body }: OperationDefinition): HostileBody[] {
  if (body === undefined) return [];
  const [example] = Object.values(body.examples);
  const bomb = {
    name: 'a bomb of gzip',
    bytes: gzipSync(Buffer.alloc(64 * 1_048_576, ' ')),
    encoding: 'gzip',
  } as const;
  return [...malformedBodies(), bomb, ...wrongBodies(example?.value as object, body.maxEntries)];
}

function hostilePaths({ path }: OperationDefinition): string[] {
  if (!path.includes('{')) return [];
  const values = [
    '%F0%9F%98%80'.repeat(1_000),
    `%${'25'.repeat(4_000)}`,
    `${'a%2F'.repeat(3_000)}..`,
    encodeURIComponent(INJECTION),
  ];
  return values.map((value) => path.replaceAll(/\{\w+\}/g, value));
}

function hostileQueries({ query }: OperationDefinition): string[] {
  if (query === undefined) return [];
  const names = Object.keys(query.shape);
  const each = Math.floor(MAX_QUERY_BYTES / names.length);
  const every = (value: (length: number) => string): string =>
    names.map((name) => `${name}=${value(each - name.length - 2)}`).join('&');
  return [
    every((length) => '9'.repeat(length)),
    every((length) => 'a,'.repeat(length / 2)),
    every((length) => '%F0%9F%98%80'.repeat(length / 12)),
    every(() => encodeURIComponent(INJECTION)),
    `${names[0]}=1&`.repeat(MAX_QUERY_BYTES / (names[0]!.length + 3)),
    Array.from({ length: MAX_QUERY_BYTES / 8 }, (_, n) => `q${n}=`).join('&'),
  ];
}

function shorten(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
