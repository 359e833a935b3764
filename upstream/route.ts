/** Defines the routes of the local upstream, and finds the route of a request. */
import type { IncomingMessage } from 'node:http';
import type { FaultQueue, RequestTarget } from './faults.ts';
import type { Reply } from './reply.ts';
import { type Fields, readFields } from './request-body.ts';

/** One request, as a route receives it. */
export interface Exchange {
  headers: IncomingMessage['headers'];
  /** The parameters in the path, by their names in the route's pattern. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** Reads the body's fields on the first call. Throws UpstreamError. */
  fields(): Promise<Fields>;
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** A path in which `:name` stands for one segment. */
  path: string;
  /** The target of faults; absent for control and health routes, which have none. */
  target?: RequestTarget;
  keyless?: true;
  /** Returns the faults of the requested job, which are applied before the queued ones. */
  faults?(exchange: Exchange): Promise<FaultQueue | undefined>;
  handle(exchange: Exchange): Promise<Reply> | Reply;
}

/** A capability of the upstream, such as chat; each has a file of its own. */
export interface Capability {
  routes: Route[];
  close?(): Promise<void>;
}

/** Creates an exchange. `body` is set if it was read before. */
export function createExchange(
  request: IncomingMessage,
  url: URL,
  params: Exchange['params'],
  body?: Buffer,
): Exchange {
  let fields: Promise<Fields> | undefined;
  return {
    headers: request.headers,
    params,
    query: url.searchParams,
    fields: () => (fields ??= readFields(request, body)),
  };
}

/** Returns the route for a request with its decoded path parameters. */
export function findRoute(
  routes: readonly Route[],
  method: string | undefined,
  path: string,
): { route: Route; params: Record<string, string> } | undefined {
  const segments = path.split('/');
  for (const route of routes) {
    const params = route.method === method ? matchPath(route.path.split('/'), segments) : undefined;
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

function matchPath(pattern: string[], segments: string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const given = segments[index] ?? '';
    if (expected.startsWith(':') && given !== '') params[expected.slice(1)] = decodeSegment(given);
    else if (expected !== given) return undefined;
  }
  return params;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
