import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OperationDefinition } from '../../../contract/operation.ts';
import { operations } from '../../../contract/operations.ts';
import { asManagement, asRegular } from '../support/fake-services.ts';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

/** Lists the operations of the specification. Daemon signing has a table of its own. */
const OF_SPECIFICATION = [
  'POST /analytics/query',
  'GET /keys',
  'PATCH /keys/{hash}',
  'POST /rerank',
  'PATCH /end-users/{user}',
  'POST /presets/{slug}/messages',
  'POST /videos',
  'POST /observability/destinations',
  'GET /observability/destinations',
  'POST /images',
  'POST /audio/speech',
  'PATCH /private-endpoints/{id}',
  'PUT /private-endpoints/{id}/pricing',
  'GET /private-endpoints/{id}',
  'GET /model/{author}/{slug}',
  'GET /models/count',
  'GET /datasets/rankings-daily',
  'GET /organization/members',
  'GET /workspaces/{id}',
  'GET /scim/sync-jobs/{id}',
  'GET /credits',
  'GET /vault/interns/{internId}/effective-secrets',
];
/** The path of another vendor's clients for an operation of the specification. */
const ALIASES = ['POST /images/generations'];

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.close());

const all: OperationDefinition[] = Object.values(operations);
const nameOf = ({ method, path }: OperationDefinition): string => `${method.toUpperCase()} ${path}`;

test('exactly the operations of the specification have exact error messages', () => {
  const exact = all.filter(({ errorMessages }) => errorMessages === 'exact').map(nameOf);
  expect(exact.toSorted()).toEqual([...OF_SPECIFICATION, ...ALIASES].toSorted());
});

interface Wrong {
  path: string;
  body?: string;
}

/** A request that breaks a rule of the operation's own, or undefined where it has none that could be broken. */
function wrongRequest({ path, params, query, body, programme }: OperationDefinition): Wrong | undefined {
  const named = path.replaceAll('{index}', '0').replaceAll(/\{\w+…?\}/g, crypto.randomUUID());
  if (body !== undefined) return { path: named, body: '[]' };
  if (query !== undefined) return { path: `${named}?${badQuery(query)}` };
  // A malformed id of an intern is an unknown intern.
  if (programme !== undefined && !path.includes('{name}')) return undefined;
  return params === undefined ? undefined : { path: path.replaceAll(/\{\w+…?\}/g, '%ff') };
}

/** Gives every parameter twice, which none takes. */
function badQuery(query: NonNullable<OperationDefinition['query']>): string {
  const names = Object.keys(query.shape);
  return names.map((name) => `${name}=%00&${name}=%00`).join('&');
}

function ask(operation: OperationDefinition, { path, body }: Wrong): Promise<Response> {
  const { access, credential, base, method } = operation;
  const key = (access === 'management' ? asManagement : asRegular).authorization;
  return fetch(`${api.origin}${base === 'root' ? '' : '/api/v1'}${path}`, {
    method: method.toUpperCase(),
    headers: {
      [credential ?? 'authorization']: key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
}

interface WireError {
  message: string;
  metadata: { issues: { path: string; message: string }[] };
}

const withUsualErrors = all.flatMap((operation) => {
  const { access, errorShape, rawBody } = operation;
  const wrong = wrongRequest(operation);
  const isOwnAffair = access === 'public' || access === 'signed' || rawBody !== undefined;
  const hasOwnWords = errorShape === 'scim' || errorShape === 'daemon';
  return isOwnAffair || hasOwnWords || wrong === undefined ? [] : [[operation.id, operation, wrong] as const];
});

describe.each(withUsualErrors)('an invalid request to %s', (_id, operation, wrong) => {
  test('answers 400 and names the first issue', async () => {
    const answer = await ask(operation, wrong);
    const body = (await answer.json()) as WireError & { error: WireError };
    const error = operation.errorShape === 'cohere' ? body : body.error;
    expect(answer.status).toBe(400);
    const [first] = error.metadata.issues;
    expect(first).toEqual({ path: expect.any(String), message: expect.any(String) });
    expect(error.message).toBe(
      operation.errorMessages === 'exact'
        ? 'Invalid request parameters'
        : `Invalid request parameters: ${first!.path} ${first!.message}`,
    );
  });
});

const withJsonBodies = withUsualErrors.filter(([, { body }]) => body !== undefined);

test.each(withJsonBodies)(
  'a body of %s without application/json answers 415 and names the header',
  async (_id, operation) => {
    const { path = '' } = wrongRequest(operation) ?? {};
    const key = (operation.access === 'management' ? asManagement : asRegular).authorization;
    const answer = await fetch(`${api.origin}${operation.base === 'root' ? '' : '/api/v1'}${path}`, {
      method: operation.method.toUpperCase(),
      headers: { authorization: key, 'content-type': 'application/x-www-form-urlencoded' },
      body: '{}',
    });
    expect(answer.status).toBe(415);
    expect(await answer.text()).toContain(
      '"message":"Unsupported media type: send the header Content-Type: application/json"',
    );
  },
);

test('a body in an unknown encoding answers 415 and lists the encodings', async () => {
  const answer = await fetch(`${api.origin}/api/v1/videos`, {
    method: 'POST',
    headers: { ...asRegular, 'content-type': 'application/json', 'content-encoding': 'compress' },
    body: '{}',
  });
  expect(answer.status).toBe(415);
  expect(await answer.text()).toContain('send the header Content-Encoding with gzip, deflate, br or zstd');
});

test('the error tests cover every operation of the specification except GET /credits', () => {
  const asked = withUsualErrors.map(([, operation]) => nameOf(operation));
  expect(OF_SPECIFICATION.filter((name) => !asked.includes(name))).toEqual(['GET /credits']);
});
