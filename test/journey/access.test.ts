import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newToken } from '../../services/accounts/identity/key-token.ts';
import { addKey, addOrganization, addWorkspace, setKeyDisabled } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, getJob, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const UNKNOWN_JOB = 'gen-vid-1767225600000-aaaaaaaaaaaaaaaaaaaa';
const UNKNOWN_DELIVERY = '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';

let gateway: Gateway;
let receiver: Receiver;
let owner: Caller;
let manager: Caller;
let job: WireJob;
const strangers: Record<string, Caller> = {};
const badTokens: Record<string, string> = {};

beforeAll(async () => {
  [gateway, receiver] = await Promise.all([startGateway({ worker: ['video', 'webhooks'] }), startReceiver()]);
  owner = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
  const { id } = await submit(owner, { callback_url: receiver.url });
  await addStrangers();
  await addBadTokens();
  job = await ended(owner, id);
  await receiver.next(1);
});

afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

async function addStrangers(): Promise<void> {
  const [neighbour, foreign] = await Promise.all([addWorkspace(gateway), addOrganization(gateway)]);
  const callerWith = async (facts: Parameters<typeof addKey>[1]): Promise<Caller> =>
    createCaller(gateway.origin, (await addKey(gateway, facts)).token);
  strangers['another workspace'] = await callerWith(neighbour);
  strangers['another organization'] = await callerWith(foreign);
  strangers['the management of another organization'] = await callerWith({ ...foreign, kind: 'management' });
}

async function addBadTokens(): Promise<void> {
  const [disabled, expired] = await Promise.all([
    addKey(gateway),
    addKey(gateway, { expiresAt: new Date(Date.now() - 1_000) }),
  ]);
  await setKeyDisabled(gateway, disabled.hash, true);
  Object.assign(badTokens, {
    malformed: 'not-a-key',
    'too long': `sk-slc-${'a'.repeat(10_000)}`,
    unknown: newToken().token,
    disabled: disabled.token,
    expired: expired.token,
    'of the provider': 'upstream-key',
    'a hash instead of the token': disabled.hash,
  });
}

describe('authentication', () => {
  test.each([
    ['POST', '/videos', { model: 'local/clip-canned', prompt: 'x' }],
    ['GET', '/videos', undefined],
    ['GET', '/key', undefined],
    ['GET', '/webhooks/deliveries', undefined],
  ])(
    'answers 401 at %s %s, with one reason for bad keys and another for none',
    async (method, path, body) => {
      const ask = async (token: string | undefined, headers = {}) =>
        visibleParts(
          await createCaller(gateway.origin, token).call(method, path, {
            headers,
            ...(body === undefined ? {} : { body }),
          }),
        );
      const refusal = await ask(undefined);
      expect(refusal.status).toBe(401);
      expect(refusal.headers['www-authenticate']).toBe('Bearer');
      expect(JSON.parse(refusal.body)).toEqual({
        error: {
          code: 401,
          message: 'Missing Authentication header',
          metadata: { reason: 'missing_credential', retryable: false },
        },
      });
      expect(await ask(undefined, { authorization: `Basic ${btoa(`u:${gateway.apiKey}`)}` })).toEqual(
        refusal,
      );
      const invalid = { ...refusal, body: refusal.body.replace('missing_credential', 'invalid_credential') };
      for (const token of Object.values(badTokens)) expect(await ask(token)).toEqual(invalid);
      expect(await ask(undefined, { 'x-api-key': badTokens['disabled']! })).toEqual(invalid);
    },
  );

  test('accepts the key in x-api-key, and any case of "bearer"', async () => {
    const nobody = createCaller(gateway.origin);
    for (const headers of [
      { 'x-api-key': gateway.apiKey },
      { authorization: `bearer ${gateway.apiKey}` },
      { authorization: `BEARER   ${gateway.apiKey}` },
    ]) {
      expect((await nobody.call('GET', '/key', { headers })).status).toBe(200);
    }
  });
});

describe('a request with two credentials', () => {
  const statusWith = async (bearer: string, xApiKey: string) => {
    const headers = { authorization: `Bearer ${bearer}`, 'x-api-key': xApiKey };
    return (await createCaller(gateway.origin).call('GET', '/key', { headers })).status;
  };

  test('passes if either header has a good key', async () => {
    const others = { ...badTokens, 'of another service': 'sk-ant-oat01-other' };
    for (const other of Object.values(others)) {
      expect(await statusWith(other, gateway.apiKey)).toBe(200);
      expect(await statusWith(gateway.apiKey, other)).toBe(200);
    }
  });

  test('answers 401 if neither header has a good key', async () => {
    expect(await statusWith(badTokens['unknown']!, badTokens['expired']!)).toBe(401);
  });
});

describe('a management key', () => {
  test('gets 403 management_key_refused from POST /videos', async () => {
    const response = await manager.call('POST', '/videos', {
      body: { model: 'local/clip-canned', prompt: 'x' },
    });
    expect(await errorOf(response)).toEqual({
      code: 403,
      message: 'Management keys cannot call generation endpoints',
      metadata: { reason: 'management_key_refused', retryable: false },
    });
  });

  test('reads, lists, downloads and may cancel the jobs of its organization', async () => {
    expect(await getJob(manager, job.id)).toMatchObject({ id: job.id, status: 'completed' });
    const list = (await (await manager.call('GET', '/videos')).json()) as { data: WireJob[] };
    expect(list.data.map(({ id }) => id)).toEqual([job.id]);
    const content = await manager.call('GET', `/videos/${job.id}/content`);
    expect([content.status, (await content.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    expect((await manager.call('POST', `/videos/${job.id}/cancel`)).status).toBe(409);
  });

  test('alone lists and replays webhook deliveries', async () => {
    for (const [method, path] of [
      ['GET', '/webhooks/deliveries'],
      ['POST', `/webhooks/deliveries/${UNKNOWN_DELIVERY}/replay`],
    ] as const) {
      expect(await errorOf(await owner.call(method, path))).toEqual({
        code: 403,
        message: 'Only management keys can perform this operation',
        metadata: { reason: 'management_key_required', retryable: false },
      });
    }
    expect((await manager.call('GET', '/webhooks/deliveries')).status).toBe(200);
  });
});

describe('a job of another tenant', () => {
  const outsiders = ['another workspace', 'another organization', 'the management of another organization'];
  const requests: [method: string, path: (id: string) => string][] = [
    ['GET', (id) => `/videos/${id}`],
    ['GET', (id) => `/videos/${id}?wait=25`],
    ['GET', (id) => `/videos/${id}/timeline`],
    ['POST', (id) => `/videos/${id}/cancel`],
    ['GET', (id) => `/videos/${id}/content`],
    ['GET', (id) => `/videos/${id}/content?index=7`],
    ['HEAD', (id) => `/videos/${id}/content`],
  ];

  test.each(outsiders)('answers %s with the same bytes as an unknown job', async (name) => {
    const stranger = strangers[name]!;
    for (const [method, path] of requests) {
      const unknown = await visibleParts(await stranger.call(method, path(UNKNOWN_JOB)));
      expect(unknown.status).toBe(404);
      for (const id of [job.id, 'no-id', `${job.id}x`, '%00', '..%2f..', 'a'.repeat(2_000)]) {
        expect(await visibleParts(await stranger.call(method, path(id)))).toEqual(unknown);
      }
    }
  });

  test.each(outsiders)('stays out of the list of %s', async (name) => {
    const list = await (await strangers[name]!.call('GET', '/videos')).text();
    expect(JSON.parse(list)).toEqual({ data: [], total_count: 0 });
  });

  test('keeps its deliveries from the management key of another organization', async () => {
    const delivery = await eventually('the delivery', async () => {
      const answer = await manager.call('GET', '/webhooks/deliveries?status=delivered');
      return ((await answer.json()) as { data: { id: string }[] }).data[0];
    });
    const stranger = strangers['the management of another organization']!;
    const replay = async (id: string) =>
      visibleParts(await stranger.call('POST', `/webhooks/deliveries/${id}/replay`));
    const unknown = await replay(UNKNOWN_DELIVERY);
    expect(unknown.status).toBe(404);
    expect(await replay(delivery.id)).toEqual(unknown);
    expect(await replay('no-id')).toEqual(unknown);
    const list = await stranger.call('GET', `/webhooks/deliveries?job_id=${job.id}`);
    expect(JSON.parse(await list.text())).toEqual({ data: [], total_count: 0 });
    expect(receiver.received).toHaveLength(1);
  });

  test("rejects the signature of another job's output", async () => {
    const { search } = new URL(job.urls![0]!);
    const nobody = createCaller(gateway.origin);
    const other = await ended(owner, (await submit(owner)).id);
    const open = async (path: string) => visibleParts(await nobody.call('GET', path + search));
    const unknown = await open(`/videos/${UNKNOWN_JOB}/outputs/0`);
    expect(unknown.status).toBe(404);
    expect(await open(`/videos/${other.id}/outputs/0`)).toEqual(unknown);
    expect(await open(`/videos/${job.id}/outputs/1`)).toEqual(unknown);
    expect((await nobody.call('GET', `/videos/${job.id}/outputs/0${search}`)).status).toBe(200);
  });
});
