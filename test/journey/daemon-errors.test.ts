import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace, type Place } from '../support/accounts.ts';
import { createCaller, visibleParts } from '../support/caller.ts';
import {
  addIntern,
  addPersonalKey,
  askProof,
  BODY,
  sha256Of,
  startDaemonGateway,
} from '../support/daemon.ts';
import type { Gateway } from '../support/gateway.ts';

let gateway: Gateway;
let internId: string;
let token: string;
let elsewhere: Place;

beforeAll(async () => {
  gateway = await startDaemonGateway();
  internId = await addIntern(gateway);
  ({ token } = await addPersonalKey(gateway));
  elsewhere = await addOrganization(gateway);
});
afterAll(() => gateway.close());

async function errorBody(response: Response): Promise<unknown> {
  return [response.status, await response.text()];
}

const text = (code: number, message: string, reason: string, retryable: boolean): string =>
  JSON.stringify({ error: { code, message, metadata: { reason, retryable } } });

const INVALID_BODY = [400, text(400, 'Invalid request body', 'invalid_body', false)];
const UNAUTHORIZED = [401, text(401, 'Invalid or missing API key', 'unauthorized', false)];
const NO_IDENTITY = [
  403,
  text(403, 'Personal connections need a personal identity login', 'personal_identity_required', false),
];
const REGIONAL = [403, text(403, 'Not available on regional hosts', 'regional_host_not_supported', false)];
const NOT_FOUND = [404, text(404, 'Intern not found', 'not_found', false)];
const NOT_JSON = [
  415,
  text(415, 'Request body must be sent as application/json', 'unsupported_media_type', false),
];
const TOO_MANY = [429, text(429, 'Too many intern turns', 'rate_limited', true)];

describe('the body of a request for a proof', () => {
  test.each<[string, unknown]>([
    ['that is empty', ''],
    ['that is no JSON', '{'],
    ['that is no object', '[]'],
    ['without a hash', {}],
    ['with a hash in capitals', { bodySha256: sha256Of(BODY).toUpperCase() }],
    ['with a hash that is too short', { bodySha256: 'a'.repeat(63) }],
    ['with a hash that is too long', { bodySha256: 'a'.repeat(65) }],
    ['with a hash and a line break', { bodySha256: `${sha256Of(BODY)}\n` }],
    ['with a hash that is null', { bodySha256: null }],
    ['with the hash in a list', { bodySha256: [sha256Of(BODY)] }],
  ])('gets a generic 400 if it comes %s', async (_what, body) => {
    expect(await errorBody(await askProof(gateway, token, internId, body))).toEqual(INVALID_BODY);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])(
    'gets a 415 if its type is %s',
    async (type) => {
      const response = await askProof(gateway, token, internId, undefined, { 'content-type': type });
      expect(await errorBody(response)).toEqual(NOT_JSON);
    },
  );
});

describe('the key of a request for a proof', () => {
  test.each<[string, string | undefined]>([
    ['is missing', undefined],
    ['is unknown', `sk-slc-${'x'.repeat(43)}`],
  ])('gets a 401 with the reason unauthorized if it %s', async (_what, unknown) => {
    const response = await askProof(gateway, unknown, internId);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await errorBody(response)).toEqual(UNAUTHORIZED);
  });

  test('gets a 403 if it has no identity', async () => {
    const { token: nobodys } = await addKey(gateway);
    expect(await errorBody(await askProof(gateway, nobodys, internId))).toEqual(NO_IDENTITY);
  });

  test.each(['', 'alice smith', 'älice', 'a'.repeat(256)])(
    'gets a 403 for the older identity %j, which no header can carry',
    async (identitySubject) => {
      const older = await addPersonalKey(gateway, identitySubject);
      expect(await errorBody(await askProof(gateway, older.token, internId))).toEqual(NO_IDENTITY);
    },
  );

  test("gets a 403 if it is the intern's own, and a 404 if another intern's", async () => {
    const facts = { kind: 'intern', identitySubject: 'alice' } as const;
    const own = await addKey(gateway, { ...facts, internId });
    expect(await errorBody(await askProof(gateway, own.token, internId))).toEqual(NO_IDENTITY);
    const others = await addKey(gateway, { ...facts, internId: await addIntern(gateway) });
    expect(await errorBody(await askProof(gateway, others.token, internId))).toEqual(NOT_FOUND);
  });
});

describe('an intern that the key cannot see', () => {
  test('answers 404 with the same bytes for every cause', async () => {
    const workspace = await addWorkspace(gateway);
    const outside = await addKey(gateway, { ...elsewhere, identitySubject: 'alice' });
    const insideOutside = await addIntern(gateway, elsewhere);
    const answers = await Promise.all([
      askProof(gateway, token, crypto.randomUUID()),
      askProof(gateway, token, 'no-id'),
      askProof(gateway, token, `${internId}%0a`),
      // Bytes that are no UTF-8, and half an escape.
      askProof(gateway, token, '%ff'),
      askProof(gateway, token, `${internId}%`),
      askProof(gateway, token, await addIntern(gateway, workspace)),
      askProof(gateway, token, insideOutside),
      // An organization outside the programme, which the key's own intern does not help.
      askProof(gateway, outside.token, insideOutside),
      askProof(gateway, outside.token, internId),
    ]);
    const [first, ...others] = await Promise.all(answers.map(visibleParts));
    expect([first!.status, first!.body]).toEqual(NOT_FOUND);
    expect(others).toEqual(others.map(() => first));
  });

  test('answers 404 even to a key without an identity', async () => {
    const { token: nobodys } = await addKey(gateway);
    expect(await errorBody(await askProof(gateway, nobodys, crypto.randomUUID()))).toEqual(NOT_FOUND);
  });
});

test('an invalid body answers 400 before the intern and the identity are checked', async () => {
  const { token: nobodys } = await addKey(gateway);
  expect(await errorBody(await askProof(gateway, nobodys, crypto.randomUUID(), {}))).toEqual(INVALID_BODY);
  expect(await errorBody(await askProof(gateway, nobodys, internId, {}))).toEqual(INVALID_BODY);
});

test('an organization outside the programme gets 404 even for an invalid body', async () => {
  const outside = await addKey(gateway, { ...elsewhere, identitySubject: 'alice' });
  expect(await errorBody(await askProof(gateway, outside.token, internId, {}))).toEqual(NOT_FOUND);
});

test('a regional host answers 403 before the body is checked', async () => {
  const response = await askOnHost('eu.gateway.example');
  expect(response).toEqual(REGIONAL);
  expect((await askOnHost('gateway.example'))[0]).toBe(400);
});

/** Node's fetch sets the header `Host` by itself. */
async function askOnHost(host: string): Promise<[status: number, body: string]> {
  const { request } = await import('node:http');
  const { promise, resolve, reject } = Promise.withResolvers<[number, string]>();
  const headers = { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = request(`${gateway.origin}/api/v1/interns/${internId}/daemon/sign`, {
    method: 'POST',
    headers,
  });
  sent.on('error', reject).on('response', (response) => {
    let body = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    response.on('end', () => resolve([response.statusCode ?? 0, body]));
  });
  sent.end('{}');
  return promise;
}

test('a malformed path answers 401 or 400 if the key or the body is wrong', async () => {
  expect(await errorBody(await askProof(gateway, undefined, '%ff'))).toEqual(UNAUTHORIZED);
  expect(await errorBody(await askProof(gateway, token, '%ff', {}))).toEqual(INVALID_BODY);
  const path = '/interns/%ff/daemon-access/sign';
  const body = { bodySha256: sha256Of(BODY) };
  const former = await createCaller(gateway.origin, token).call('POST', path, { body });
  expect(await errorBody(former)).toEqual(NOT_FOUND);
});

test('other methods and paths answer 405, 404 and 400 as usual', async () => {
  const caller = createCaller(gateway.origin, token);
  expect((await caller.call('GET', '/interns/%ff/daemon/sign')).status).toBe(405);
  expect((await caller.call('POST', '/interns/%ff/daemon')).status).toBe(400);
  expect((await caller.call('GET', `/interns/${internId}/daemon/sign`)).status).toBe(405);
  expect((await caller.call('POST', `/interns/${internId}/daemon`)).status).toBe(404);
});

describe('a deployment with a rate limit', () => {
  test('limits the proofs of each intern over all keys, and counts no refused request', async () => {
    const limited = await startDaemonGateway({
      env: { RATE_LIMIT_REQUESTS: '2', RATE_LIMIT_INTERVAL: '1h' },
    });
    try {
      const [first, second] = [await addIntern(limited), await addIntern(limited)];
      const keys = [await addPersonalKey(limited, 'alice'), await addPersonalKey(limited, 'bob')];
      const answers = [];
      for (const key of [...keys, ...keys]) answers.push(await askProof(limited, key.token, first));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
      expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['1', '0', '0', '0']);
      expect(Number(answers[2]!.headers.get('retry-after'))).toBeGreaterThan(3_500);
      expect(await errorBody(answers[2]!)).toEqual(TOO_MANY);
      expect((await askProof(limited, keys[0]!.token, second)).status).toBe(200);
      // What is refused before it is counted costs nothing.
      expect((await askProof(limited, keys[0]!.token, second, {})).status).toBe(400);
      expect((await askProof(limited, keys[0]!.token, second)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});
