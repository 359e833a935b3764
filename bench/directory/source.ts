/**
 * Runs the source of `bench directory` in a separate process: a bare, read-only SCIM server that computes people and
 * groups on request. It prints its origin. Arguments: people, groups, and memberships of groups.
 *
 * `/TENANT/…` has everything. `/TENANT/groups-only/…` has the same groups without members, so that they can be mapped
 * before the first person is read.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DirectorySize, groupsPage, peoplePage } from './source-pages.ts';

const [people = 0, groups = 0, memberships = 0] = process.argv.slice(2).map(Number);
const full: DirectorySize = { people, groups, memberships };
const groupsOnly: DirectorySize = { people: 0, groups, memberships: 0 };
const MAX_PAGE = 200;
const CONFIG = JSON.stringify({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: false },
  bulk: { supported: false },
  filter: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
});
const NOT_FOUND = JSON.stringify({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: '404',
});

function answer(url: URL): string | undefined {
  const [, tenant = '', ...rest] = url.pathname.split('/');
  const size = rest[0] === 'groups-only' ? groupsOnly : full;
  const startIndex = Number(url.searchParams.get('startIndex') ?? 1);
  const count = Math.min(MAX_PAGE, Number(url.searchParams.get('count') ?? MAX_PAGE));
  const resource = rest.at(-1);
  if (resource === 'ServiceProviderConfig') return CONFIG;
  if (resource === 'Users') return peoplePage(tenant, size.people, startIndex, count);
  if (resource === 'Groups') return groupsPage(tenant, size, startIndex, count);
  return undefined;
}

const server = createServer((request, response) => {
  const text = answer(new URL(request.url ?? '/', 'http://source'));
  response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/scim+json' });
  response.end(text ?? NOT_FOUND);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
