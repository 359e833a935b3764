import { describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import { ended, type WireJob } from '../support/jobs.ts';
import { type Replica, useReplica } from '../support/replica.ts';

const BODY = { model: 'local/clip-canned', prompt: 'a test' };

let gateway: Gateway;
let second: Replica;
let caller: Caller;

useReplica(
  (...opened) => {
    [gateway, second] = opened;
    caller = createCaller(gateway.origin, gateway.apiKey);
  },
  { worker: ['video'] },
);

function post(key: string, { by = caller, body = BODY as object } = {}): Promise<Response> {
  return by.call('POST', '/videos', { body, headers: { 'idempotency-key': key } });
}

async function jobOf(response: Response): Promise<WireJob> {
  expect(response.status).toBe(202);
  return (await response.json()) as WireJob;
}

async function countJobs(): Promise<number> {
  const { rows } = await gateway.database.query<{ n: string }>('select count(*) n from video_jobs');
  return Number(rows[0]?.n);
}

describe('an Idempotency-Key of POST /videos', () => {
  test('repeats the first response with idempotent-replayed: true', async () => {
    const first = await post('replayed');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const accepted = await first.text();
    await ended(caller, (JSON.parse(accepted) as WireJob).id);

    const submitted = gateway.upstream.requests('create').length;
    for (const by of [caller, createCaller(second.origin, gateway.apiKey)]) {
      const again = await post('replayed', { by });
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
      expect(JSON.parse(await again.text())).toEqual(JSON.parse(accepted));
    }
    expect(gateway.upstream.requests('create')).toHaveLength(submitted);
  });

  test('answers 422 for another body', async () => {
    await jobOf(await post('reused'));
    const other = await post('reused', { body: { ...BODY, prompt: 'another test' } });
    expect(await errorOf(other)).toEqual({
      code: 422,
      message: 'Idempotency key was used with a different request',
      metadata: { reason: 'idempotency_key_reused', retryable: false },
    });
  });

  test('makes one job from ten concurrent requests at two replicas', async () => {
    const before = await countJobs();
    const other = createCaller(second.origin, gateway.apiKey);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) => post('at once', { by: n % 2 === 0 ? caller : other })),
    );
    const statuses = new Set(responses.map(({ status }) => status));
    expect([...statuses].filter((status) => ![202, 409].includes(status))).toEqual([]);
    const accepted = responses.filter(({ status }) => status === 202);
    const ids = new Set(await Promise.all(accepted.map(async (response) => (await jobOf(response)).id)));
    expect(ids.size).toBe(1);
    const fresh = accepted.filter(({ headers }) => headers.get('idempotent-replayed') === null);
    expect(fresh).toHaveLength(1);
    expect(await countJobs()).toBe(before + 1);

    const [id] = [...ids];
    await ended(caller, id!);
    const submissions = gateway.upstream.requests('create').filter(({ requestId }) => requestId === id);
    expect(submissions).toHaveLength(1);
  });

  test('applies to all keys of the workspace', async () => {
    const first = await jobOf(await post('shared'));
    const sibling = createCaller(gateway.origin, (await addKey(gateway)).token);
    expect((await jobOf(await post('shared', { by: sibling }))).id).toBe(first.id);
  });

  test.each([
    ['workspace', () => addWorkspace(gateway)],
    ['organization', () => addOrganization(gateway)],
  ])('makes a separate job in another %s', async (name, addPlace) => {
    const first = await jobOf(await post(name));
    const { token } = await addKey(gateway, await addPlace());
    const stranger = createCaller(gateway.origin, token);
    const theirs = await post(name, { by: stranger });
    expect(theirs.headers.get('idempotent-replayed')).toBeNull();
    const { id } = await jobOf(theirs);
    expect(id).not.toBe(first.id);
    expect((await jobOf(await post(name, { by: stranger }))).id).toBe(id);
    expect((await jobOf(await post(name))).id).toBe(first.id);
  });

  test('accepts another body in another workspace', async () => {
    await jobOf(await post('bodies'));
    const { token } = await addKey(gateway, await addWorkspace(gateway));
    const by = createCaller(gateway.origin, token);
    const other = await post('bodies', { by, body: { ...BODY, prompt: 'another test' } });
    expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([202, null]);
  });

  test.each([
    ['a 400', { ...BODY, duration: 0 }, 400],
    ['a 400 of the model', { ...BODY, duration: 9 }, 400],
    ['a 404', { ...BODY, model: 'local/none' }, 404],
  ])('becomes free again after %s', async (name, body, status) => {
    expect((await post(name, { body })).status).toBe(status);
    expect((await post(name)).headers.get('idempotent-replayed')).toBeNull();
    expect((await post(name)).headers.get('idempotent-replayed')).toBe('true');
  });

  test('expires after 24 hours', async () => {
    const age = (interval: string) =>
      gateway.database.query(
        `update remembered_answers set created_at = now() - $1::interval where key = 'aged'`,
        [interval],
      );
    const first = await jobOf(await post('aged'));
    await age('23 hours 59 minutes');
    expect((await jobOf(await post('aged'))).id).toBe(first.id);

    await age('24 hours');
    const body = { ...BODY, prompt: 'a new day' };
    const next = await jobOf(await post('aged', { body }));
    expect(next.id).not.toBe(first.id);
    expect((await jobOf(await post('aged', { body }))).id).toBe(next.id);
  });

  test.each([
    ['is empty', ''],
    ['is longer than 255 characters', 'k'.repeat(256)],
    ['is not ASCII', 'clé'],
    ['holds a tab', 'a\tb'],
  ])('answers 400 if it %s', async (_name, key) => {
    const before = await countJobs();
    expect(await errorOf(await post(key))).toMatchObject({
      code: 400,
      metadata: {
        issues: [{ path: 'headers.idempotency-key', message: 'must be 1 to 255 printable ASCII characters' }],
      },
    });
    expect(await countJobs()).toBe(before);
  });

  test('accepts 255 characters and text that looks like SQL', async () => {
    for (const key of ['k'.repeat(255), `'; drop table video_jobs; --`]) {
      const { id } = await jobOf(await post(key));
      expect((await jobOf(await post(key))).id).toBe(id);
    }
  });
});
