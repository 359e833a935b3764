import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { keyRoutes } from '../../api/accounts/keys.ts';
import type { Services } from '../../api/create-services.ts';
import type { RoutesOf } from '../../api/http/route.ts';
import { routes } from '../../api/routes.ts';
import { buildOpenApi } from '../../contract/openapi.ts';
import { type OperationDefinition, publishedPath } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { asManagement, asRegular } from './support/fake-services.ts';
import { serveApi, type ServedApi } from './support/serve-api.ts';

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.close());

/** Checked by the compiler: a handler answers the operation of its name, with services that the API has. */
type KeyRoutes = RoutesOf<Pick<typeof operations, 'getKey' | 'deleteKey'>, Services>;
const { getKey, deleteKey } = keyRoutes;
({ getKey, deleteKey }) satisfies KeyRoutes;
// @ts-expect-error A handler of another operation.
({ getKey: deleteKey, deleteKey }) satisfies KeyRoutes;
// @ts-expect-error A missing handler.
({ getKey }) satisfies KeyRoutes;
// @ts-expect-error A service that the API lacks.
keyRoutes satisfies RoutesOf<Pick<typeof operations, keyof typeof keyRoutes>, Omit<Services, 'apiKeys'>>;

const published = buildOpenApi()['paths'] as Record<string, Record<string, unknown>>;
const all: OperationDefinition[] = Object.values(operations);
const withKey = all.filter(({ access }) => access !== 'public' && access !== 'signed');

/** A request that names something well formed, and has no body. */
function call(operation: OperationDefinition, headers: Record<string, string> = {}): Promise<Response> {
  const path = operation.path.replaceAll('{index}', '0').replaceAll(/\{\w+…?\}/g, crypto.randomUUID());
  const base = operation.base === 'root' ? '' : '/api/v1';
  return fetch(`${api.origin}${base}${path}`, { method: operation.method.toUpperCase(), headers });
}

/** The body of a 401 in the envelope of the operation. */
function unauthorized({ errorShape }: OperationDefinition, reason: string): object {
  const error = { message: 'Missing Authentication header', metadata: { reason, retryable: false } };
  if (errorShape === undefined) return { error: { code: 401, ...error } };
  if (errorShape === 'cohere') return error;
  if (errorShape === 'daemon') {
    const metadata = { reason: 'unauthorized', retryable: false };
    return { error: { code: 401, message: 'Invalid or missing API key', metadata } };
  }
  if (errorShape === 'scim') {
    return { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '401', detail: error.message };
  }
  return { type: 'error', error: { type: 'authentication_error', ...error }, request_id: expect.any(String) };
}

const isBearer = (headers: Record<string, string>): boolean => headers['authorization'] !== undefined;

describe.each(all.map((operation) => [operation.id, operation] as const))(
  'the operation %s',
  (id, operation) => {
    test('answers at its route and stands in the OpenAPI document', async () => {
      expect(routes.filter((route) => route.operation.id === id)).toHaveLength(1);
      expect(published[publishedPath(operation)]).toHaveProperty(operation.method);
      const answer = await call(operation);
      expect([404, 405]).not.toContain(answer.status);
    });
  },
);

describe.each(withKey.map((operation) => [operation.id, operation] as const))(
  'the authentication of %s',
  (_id, operation) => {
    test.each<[string, Record<string, string>, boolean]>([
      ['no key', {}, false],
      ['an empty authorization', { authorization: '' }, false],
      ['an empty x-api-key', { 'x-api-key': '' }, false],
      ['an unknown bearer token', { authorization: 'Bearer unknown' }, true],
      ['an unknown x-api-key', { 'x-api-key': 'unknown' }, true],
      ['another scheme', { authorization: 'Basic cmVndWxhci1rZXk6' }, false],
      ['a token in two words', { authorization: 'Bearer regular-key regular-key' }, false],
      ['an endless token', { authorization: `Bearer ${'x'.repeat(5000)}` }, true],
    ])(
      'answers 401 for %s with missing_credential or invalid_credential',
      async (_what, headers, isToken) => {
        const answer = await call(operation, headers);
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        const isRead =
          operation.credential === undefined && (operation.access !== 'scim' || isBearer(headers));
        const reason = isToken && isRead ? 'invalid_credential' : 'missing_credential';
        expect(await answer.json()).toEqual(unauthorized(operation, reason));
      },
    );
  },
);

const withApiKey = withKey.filter(({ access }) => access !== 'scim');

describe.each(withApiKey.map((operation) => [operation.id, operation] as const))(
  'the kind of key for %s',
  (_id, operation) => {
    const { access } = operation;
    test('refuses the other kind with 403 where only one may call', async () => {
      const [wrong, message] =
        access === 'management'
          ? ([asRegular, 'Only management keys can perform this operation'] as const)
          : ([asManagement, 'Management keys cannot call generation endpoints'] as const);
      const answer = await call(operation, wrong);
      const isRestricted = access === 'management' || access === 'generation';
      expect(answer.status === 403).toBe(isRestricted);
      const kind = operation.errorShape === undefined ? { code: 403 } : { type: 'permission_error' };
      const refusal = operation.errorShape === 'cohere' ? { message } : { error: { ...kind, message } };
      if (isRestricted) expect(await answer.json()).toMatchObject(refusal);
    });
  },
);

test('a key is accepted in Authorization or X-Api-Key, in either case of the scheme', async () => {
  for (const headers of [
    { authorization: 'bearer management-key' },
    { 'x-api-key': 'management-key' },
    { authorization: 'Basic cHJveHk6cHJveHk=', 'x-api-key': 'management-key' },
  ]) {
    expect((await fetch(`${api.origin}/api/v1/videos/models`, { headers: headers as never })).status).toBe(
      200,
    );
  }
});
