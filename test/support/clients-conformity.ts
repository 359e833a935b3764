import type { Gateway } from './gateway.ts';
import type { GoodRequest } from './scim-conformity.ts';

/** Returns one request for each operation that is there for clients of other APIs. */
export function clientsRequests({ apiKey }: Gateway): GoodRequest[] {
  const body = { model: 'local/rerank-1', query: 'x', documents: ['x'] };
  return [
    ['GET', '/api/v1/models/local/echo-1', apiKey],
    ['GET', '/api/v1/models/local%2Fecho-1', apiKey],
    ['GET', '/api/v1/auth/key', apiKey],
    ['POST', '/api/v2/rerank', apiKey, body],
  ];
}
