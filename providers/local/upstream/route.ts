import type { IncomingMessage } from 'node:http';
import type { FaultQueue, RequestTarget } from './faults.ts';
import type { Reply } from './reply.ts';
import { type Fields, readFields } from './request-body.ts';

/** One request, as a route sees it. */
export interface Exchange {
  headers: IncomingMessage['headers'];
  /** From the path, by the names in the route's pattern. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** Read once, on the first call. Throws UpstreamError. */
  fields(): Promise<Fields>;
}

export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** `:name` stands for one segment. */
  path: string;
  /** Which faults it can be hit by; control and health routes by none. */
  target?: RequestTarget;
  keyless?: true;
  /** The faults of the job that the request is about, taken before those that wait for anyone. */
  faults?(exchange: Exchange): Promise<FaultQueue | undefined>;
  handle(exchange: Exchange): Promise<Reply> | Reply;
}

/** What the upstream can do of one kind: a capability is one file that makes one of these. */
export interface Capability {
  /** For `GET /v1/models`. */
  models: string[];
  routes: Route[];
  close(): Promise<void>;
}

/** `body`, when somebody has read it before. */
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

/** The route for a request with its path parameters, decoded. */
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
