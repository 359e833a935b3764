import type { IncomingMessage, ServerResponse } from 'node:http';
import { startLoopbackServer } from '../platform/loopback-server.ts';

export interface SourcePerson {
  id: string;
  userName: string;
  [attribute: string]: unknown;
}

export interface SourceGroup {
  id: string;
  displayName: string;
  /** Ids of people. */
  members: string[];
  [attribute: string]: unknown;
}

export interface SourceCall {
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
}

/** Answers in place of the server where it returns true. */
export type SourceFault = (call: SourceCall, response: ServerResponse) => boolean | void;

/** A SCIM 2.0 server over HTTP that a test scripts. It behaves but for its faults. */
export interface ScimSource {
  baseUrl: string;
  token: string;
  people: SourcePerson[];
  groups: SourceGroup[];
  /** The largest page that it gives. */
  pageSize: number;
  canFilter: boolean;
  calls: SourceCall[];
  fault: SourceFault | undefined;
  /** Replaces a resource before it is sent. */
  render: (resource: Record<string, unknown>) => Record<string, unknown>;
  close(): Promise<void>;
}

export async function startScimSource(): Promise<ScimSource> {
  const source: ScimSource = {
    baseUrl: '',
    token: 'a-token-of-the-source-4711',
    people: [],
    groups: [],
    pageSize: 200,
    canFilter: true,
    calls: [],
    fault: undefined,
    render: (resource) => resource,
    close: async () => {},
  };
  const server = await startLoopbackServer((request, response) => answer(source, request, response));
  source.baseUrl = `${server.origin}/scim/v2`;
  source.close = server.close;
  return source;
}

/** So many people, `user-0@example.com` and so on. */
export function somePeople(count: number): SourcePerson[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `id-${n}`,
    externalId: `external-${n}`,
    userName: `user-${n}@example.com`,
    name: { givenName: 'User', familyName: String(n) },
    active: true,
    emails: [{ value: `user-${n}@example.com`, type: 'work', primary: true }],
  }));
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/scim+json' }).end(JSON.stringify(body));
}

function answer(source: ScimSource, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '', 'http://source');
  const call: SourceCall = {
    path: url.pathname.replace(/^\/scim\/v\d/, ''),
    query: url.searchParams,
    authorization: request.headers.authorization,
  };
  source.calls.push(call);
  if (source.fault?.(call, response) === true) return;
  if (call.authorization !== `Bearer ${source.token}`) return sendJson(response, 401, {});
  const [, list = '', id] = call.path.split('/');
  if (list === 'ServiceProviderConfig') {
    return sendJson(response, 200, { filter: { supported: source.canFilter, maxResults: 200 } });
  }
  const all = (list === 'Users' ? source.people : source.groups.map(toGroup)).map((one) =>
    source.render({ ...one }),
  );
  if (id !== undefined) {
    const one = all.find((candidate) => candidate['id'] === decodeURIComponent(id));
    return one === undefined ? sendJson(response, 404, { status: '404' }) : sendJson(response, 200, one);
  }
  const filter = call.query.get('filter');
  if (filter !== null && !source.canFilter) return sendJson(response, 501, { status: '501' });
  const listed = filter === null ? all : all.filter((one) => matches(one, filter));
  const startIndex = Number(call.query.get('startIndex') ?? 1);
  const count = Math.min(Number(call.query.get('count') ?? 100), source.pageSize);
  sendJson(response, 200, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: listed.length,
    startIndex,
    itemsPerPage: count,
    Resources: listed.slice(startIndex - 1, startIndex - 1 + count),
  });
}

function toGroup({ members, ...group }: SourceGroup): Record<string, unknown> {
  return { ...group, members: members.map((value) => ({ value, type: 'User' })) };
}

/** `attribute eq "value"` and `meta.lastModified gt "date"`. */
function matches(one: Record<string, unknown>, filter: string): boolean {
  const [, path = '', operator = '', text = '""'] = /^(\S+) (eq|gt) (".*")$/.exec(filter) ?? [];
  const meta = one['meta'] as { lastModified?: string } | undefined;
  const value = path === 'meta.lastModified' ? meta?.lastModified : one[path];
  const wanted = JSON.parse(text) as string;
  if (typeof value !== 'string') return false;
  return operator === 'gt' ? value > wanted : value.toLowerCase() === wanted.toLowerCase();
}
