import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { Writable } from 'node:stream';
import type { EgressEnd } from '../../../../db/interns/egress-log-store.ts';
import { newUuid } from '../../../../domain/ids.ts';
import type { Principal } from '../../../../domain/principal.ts';
import type { OutboundGuardOptions } from '../../../../platform/outbound-guard.ts';
import {
  createEgressService,
  type EgressRequest,
} from '../../../../services/interns/egress/egress-service.ts';
import type { EgressAnswer } from '../../../../services/interns/egress/send.ts';
import { closeAfterEach, guardWith, resolverOf, serve } from '../../../platform/outbound-setup.ts';
import { createSelfSignedCertificate } from '../../../platform/self-signed-certificate.ts';
import { withMoreTime } from '../../../support/with-more-time.ts';
import { startTestHost, type TestHost } from '../../../support/egress-scene.ts';
import { freeMemory } from '../../../support/free-answer.ts';

const HOST = 'api.host.localhost';
const NAMED = 'api.host.example';

closeAfterEach();

let host: TestHost;
let ends: Omit<EgressEnd, 'id' | 'internId'>[];
let begun: number;
/** The value of the secret. */
let value: string;
const intern = {
  id: newUuid(),
  organizationId: newUuid(),
  workspaceId: newUuid(),
  vaultId: newUuid(),
  attachedVaultId: null,
};
const principal: Principal = {
  ...intern,
  kind: 'intern',
  internId: intern.id,
  keyId: 1,
  keyHash: 'hash',
  label: 'label',
};

beforeEach(async () => {
  host = await startTestHost();
  ends = [];
  begun = 0;
  value = 'the-value';
});
afterEach(() => host.close());

function serviceWith(options: Partial<OutboundGuardOptions> = {}, timeoutMs?: number) {
  const hosts = [HOST, NAMED, 'localhost'];
  const secret = { name: 'key', hosts, vaultId: intern.vaultId, version: 'v' };
  const none = new Map();
  return createEgressService({
    interns: { find: (id) => (id === intern.id ? intern : Promise.resolve(null)) },
    vaults: {
      vaultsOf: async () => ({ intern: new Map([['key', secret]]), attached: none, workspace: none }),
      valueOf: async () => value,
    },
    log: {
      begin: async () => `${(begun += 1)}`,
      end: ({ status, bytes }) => void ends.push({ status, bytes }),
    },
    guard: guardWith({ onlyPort443: true, ...options }),
    countryHeader: undefined,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

function requestTo(target: string, facts: Partial<EgressRequest> = {}): EgressRequest {
  return {
    principal,
    internId: intern.id,
    scheme: 'https',
    host: target,
    path: '/',
    query: '',
    method: 'GET',
    headers: { authorization: '{{secret:key}}' },
    client: { requestId: 'req_test' },
    body: Buffer.alloc(0),
    memory: freeMemory(),
    gone: new AbortController().signal,
    ...facts,
  };
}

async function textOf({ body }: EgressAnswer): Promise<string> {
  let text = '';
  const sink = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      text += chunk.toString();
      callback();
    },
  });
  if (Buffer.isBuffer(body)) return body.toString();
  await body?.sendTo(sink);
  return text;
}

describe('the outbound guard', () => {
  test('refuses a name that resolves to a private address, and logs the end', async () => {
    const { send } = serviceWith({ allow: [], resolve: resolverOf(['10.0.0.1']) });
    await expect(send(requestTo(NAMED))).rejects.toMatchObject({ code: 'host_refused' });
    expect(ends).toEqual([{ status: null, bytes: 0 }]);
  });

  test('refuses a name whose address becomes private between two requests', async () => {
    const certificate = createSelfSignedCertificate(NAMED);
    const server = await serve((_request, response) => {
      response.setHeader('connection', 'close').end('reached');
    }, certificate);
    const resolve = resolverOf(['127.0.0.1'], ['10.0.0.1']);
    const { send } = serviceWith({ resolve, ca: certificate.certificate });
    const target = `${NAMED}:${server.port}`;
    expect(await textOf(await send(requestTo(target)))).toBe('reached');
    await expect(send(requestTo(target))).rejects.toMatchObject({ code: 'host_refused' });
    expect(server.connections()).toBe(1);
  });

  test.each([
    ['another port than 443', `${NAMED}:8443`, 'https'],
    ['http', NAMED, 'http'],
    ['localhost', 'localhost', 'https'],
  ])('refuses %s at once without a log entry', async (_, target, scheme) => {
    const { send } = serviceWith({ allow: [] });
    await expect(send(requestTo(target, { scheme }))).rejects.toMatchObject({ code: 'host_refused' });
    expect(begun).toBe(0);
  });
});

describe('a host that is too slow', () => {
  test('fails with host_too_slow when it sends no headers in time', async () => {
    host.answer(() => {});
    const { send } = serviceWith({}, 200);
    await expect(send(requestTo(host.at()))).rejects.toMatchObject({
      code: 'provider_timeout',
      options: { reason: 'host_too_slow' },
    });
    expect(ends).toEqual([{ status: null, bytes: 0 }]);
  });

  test('gets its response cut when it does not end in time', async () => {
    host.answer((_request, response) => void response.write('begun'));
    const answer = await withMoreTime(500, (timeoutMs) =>
      serviceWith({}, timeoutMs)
        .send(requestTo(host.at()))
        .catch(() => undefined),
    );
    await expect(textOf(answer)).rejects.toThrow('broke off');
    expect(ends.at(-1)).toEqual({ status: 200, bytes: 5 });
  });
});

test('a response that breaks off is not passed on as whole', async () => {
  host.answer((_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('begun', () => response.destroy());
  });
  const answer = await serviceWith().send(requestTo(host.at()));
  await expect(textOf(answer)).rejects.toThrow('broke off');
});

test('a response with identity and chunked encoding passes', async () => {
  host.answer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'identity', 'transfer-encoding': 'chunked' }).end('text');
  });
  expect(await textOf(await serviceWith().send(requestTo(host.at())))).toBe('text');
});

test('a response with the encoding identity;q=1 passes', async () => {
  host.answer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'identity;q=1' }).end('text');
  });
  expect(await textOf(await serviceWith().send(requestTo(host.at())))).toBe('text');
});

test('a response without a body passes although it names an encoding', async () => {
  host.answer((_request, response) => {
    response.writeHead(302, { 'content-encoding': 'gzip', 'content-length': 0, location: '/' }).end();
  });
  expect((await serviceWith().send(requestTo(host.at()))).status).toBe(302);
});

test('a 304 passes although it announces a long body', async () => {
  host.answer((_request, response) => {
    response.writeHead(304, { 'content-length': 64 * 1024 ** 2 + 1 }).end();
  });
  expect((await serviceWith().send(requestTo(host.at()))).status).toBe(304);
  expect(ends).toEqual([{ status: 304, bytes: 0 }]);
});

test('a response announced as too long leaves its status in the log', async () => {
  host.answer((_request, response) => {
    response.writeHead(201, { 'content-length': 64 * 1024 ** 2 + 1 }).flushHeaders();
  });
  await expect(serviceWith().send(requestTo(host.at()))).rejects.toMatchObject({
    options: { reason: 'answer_too_large', retryable: false },
  });
  expect(ends).toEqual([{ status: 201, bytes: 0 }]);
});

test('trailers of a response are dropped', async () => {
  host.answer(({ headers }, response) => {
    response.writeHead(200, { trailer: 'x-trailer' });
    response.write('text');
    response.addTrailers({ 'x-trailer': headers['authorization']! });
    response.end();
  });
  const answer = await serviceWith().send(requestTo(host.at()));
  expect(answer.headers).not.toHaveProperty('trailer');
  expect(await textOf(answer)).toBe('text');
});

test('headers of more than 64 KiB with their values are refused', async () => {
  const headers = { 'x-a': '{{secret:key}}', 'x-b': '{{secret:key}}' };
  const { send } = serviceWith();
  value = 'x'.repeat(32 * 1024);
  expect((await send(requestTo(host.at(), { headers }))).status).toBe(431);
  value += 'x';
  await expect(send(requestTo(host.at(), { headers }))).rejects.toMatchObject({
    options: { reason: 'value_not_for_header' },
  });
  expect(begun).toBe(1);
});

test('more than 100 placeholders are refused', async () => {
  const headersWith = (count: number) => ({
    'x-a': '{{secret:key}}'.repeat(count - 1),
    'x-b': '{{secret:key}}',
  });
  const { send } = serviceWith();
  expect((await send(requestTo(host.at(), { headers: headersWith(100) }))).status).toBe(200);
  await expect(send(requestTo(host.at(), { headers: headersWith(101) }))).rejects.toMatchObject({
    code: 'invalid_request',
    options: { issues: [expect.objectContaining({ path: 'headers' })] },
  });
  expect(begun).toBe(1);
});

test('an intern has at most 64 requests in flight', async () => {
  const { promise: proceed, resolve } = Promise.withResolvers<void>();
  host.answer(async (_request, response) => {
    await proceed;
    response.end('text');
  });
  const { send } = serviceWith();
  const sent = Array.from({ length: 64 }, () => send(requestTo(host.at())));
  await expect(send(requestTo(host.at()))).rejects.toMatchObject({
    code: 'rate_limited',
    options: { reason: 'too_many_requests_under_way', retryAfterSeconds: 1 },
  });
  resolve();
  for (const answer of sent) expect(await textOf(await answer)).toBe('text');
  const again = Array.from({ length: 64 }, () => send(requestTo(host.at())));
  for (const answer of again) expect(await textOf(await answer)).toBe('text');
});

test('refused requests do not count as in flight', async () => {
  const { send } = serviceWith();
  for (let n = 0; n < 65; n += 1) {
    await expect(send(requestTo(host.at(), { headers: {} }))).rejects.toMatchObject({
      code: 'invalid_request',
    });
  }
  expect((await send(requestTo(host.at()))).status).toBe(200);
});
