import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { CurrentKey } from '../../contract/accounts/current-key.ts';
import { parseUsd } from '../../domain/money.ts';
import { addKey } from '../support/accounts.ts';
import {
  addCredential,
  clearOwnResources,
  type CredentialColumns,
  type CustomerServer,
  startCustomerServer,
} from '../support/own-resources.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { addVideoModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';

const MODEL = 'test/own-clip';

let gateway: Gateway;
let server: CustomerServer;

beforeAll(async () => {
  [gateway, server] = await Promise.all([
    startGateway({ worker: ['video'], env: { PROVIDER_SECOND_API_KEY: 'upstream-key' } }),
    startCustomerServer(),
  ]);
  await addVideoModel(gateway, MODEL, [{ provider: 'second', adapter: 'openai-compatible' }]);
});

afterAll(async () => {
  await gateway.close();
  await server.close();
});

afterEach(() => clearOwnResources(gateway));

const bring = (columns: CredentialColumns = {}): Promise<string> =>
  addCredential(gateway, server.apiKey, {
    provider_slug: 'second',
    base_url: server.baseUrl,
    origin: server.origin,
    ...columns,
  });

async function jobRow(id: string) {
  const { rows } = await gateway.database.query<{
    is_byok: boolean;
    credential_id: string | null;
    cost_nanos: string;
  }>('select is_byok, credential_id, cost_nanos from video_jobs where id = $1', [id]);
  return rows[0]!;
}

/** Submits until the credential, which was inserted with SQL, is noticed. */
function submitOwn(credentialId: string): Promise<string> {
  return eventually('a job with the credential', async () => {
    const { id } = await submit(gateway, { model: MODEL });
    return (await jobRow(id)).credential_id === credentialId ? id : undefined;
  });
}

async function spendingOf(caller: Caller) {
  const answer = await caller.call('GET', '/key');
  const { limit_remaining, usage, byok_usage } = ((await answer.json()) as CurrentKey).data;
  return { limit_remaining, usage, byok_usage };
}

const post = (caller: Caller): Promise<Response> =>
  caller.call('POST', '/videos', { body: { model: MODEL, prompt: 'a test' } });

describe('a video option with an address for the vendor to call', () => {
  const body = {
    model: 'test/calling-clip',
    prompt: 'a test',
    provider: { options: { second: { webhook: 'https://a.example' } } },
  };

  test("gets 400 over the operator's credential, and passes over the customer's own", async () => {
    const capabilities = { passthroughParameters: ['webhook'] };
    const endpoint = { provider: 'second', adapter: 'openai-compatible', capabilities };
    await addVideoModel(gateway, body.model, [endpoint]);
    const before = gateway.upstream.requests('create').length;
    const error = await errorOf(await gateway.call('POST', '/videos', { body }));
    expect(error.metadata.issues).toMatchObject([{ path: 'body.provider.options.second.webhook' }]);
    await bring({ is_fallback: true });
    const { id } = await eventually('a job with the credential', async () => {
      const answer = await gateway.call('POST', '/videos', { body });
      const job = (await answer.json()) as { id: string };
      return answer.status === 202 ? job : undefined;
    });
    expect((await jobRow(id)).is_byok).toBe(true);
    await ended(gateway, id);
    expect(gateway.upstream.requests('create')).toHaveLength(before);
  });
});

describe('a video job of a workspace with an own credential', () => {
  test("runs at the customer's account, and costs no credits", async () => {
    const credentialId = await bring();
    const id = await submitOwn(credentialId);
    expect(await ended(gateway, id)).toMatchObject({
      status: 'completed',
      usage: { cost: 0, is_byok: true },
    });
    expect(server.requests('create').length).toBeGreaterThan(0);
    const row = await jobRow(id);
    expect(row).toMatchObject({ is_byok: true, credential_id: credentialId });
    expect(Number(row.cost_nanos)).toBeGreaterThan(0);
  });

  test('fails with the reason when its credential is deleted while it runs', async () => {
    const credentialId = await bring();
    server.addFaults({ kind: 'status', on: 'retrieve', status: 500, times: 1_000 });
    const id = await submitOwn(credentialId);
    await gateway.database.query('delete from byok_credentials where id = $1', [credentialId]);
    expect(await ended(gateway, id)).toMatchObject({
      status: 'failed',
      error: 'The credential that the job used was deleted',
    });
    server.clearFaults();
  });

  test.each([
    ['counts', true, 0.99],
    ['does not count', false, 1],
  ])("%s under the key's limit, open or ended, as include_byok_in_limit says", async (_, included, left) => {
    await submitOwn(await bring());
    const key = await addKey(gateway, { limitNanos: parseUsd('1'), includeByokInLimit: included });
    const caller = createCaller(gateway.origin, key.token);
    server.addFaults({ kind: 'status', on: 'retrieve', status: 500, times: 1_000 });
    const { id } = await submit(caller, { model: MODEL });
    expect(await spendingOf(caller)).toEqual({ limit_remaining: left, usage: 0, byok_usage: 0 });
    server.clearFaults();
    expect((await ended(gateway, id)).status).toBe('completed');
    expect(await spendingOf(caller)).toEqual({ limit_remaining: left, usage: 0, byok_usage: 0.01 });
  });
});

describe('an API key whose limit is spent', () => {
  test('runs its jobs with the fallback credential of its workspace', async () => {
    const caller = createCaller(gateway.origin, (await addKey(gateway, { limitNanos: 0n })).token);
    const refusal = { code: 402, message: 'Key limit exceeded' };
    expect(await errorOf(await post(caller))).toMatchObject(refusal);
    const credentialId = await bring({ is_fallback: true });
    const { id } = await eventually('a job with the credential', async () => {
      const answer = await post(caller);
      return answer.status === 202 ? ((await answer.json()) as { id: string }) : undefined;
    });
    expect(await jobRow(id)).toMatchObject({ is_byok: true, credential_id: credentialId });
    expect(await jobRow((await submit(gateway, { model: MODEL })).id)).toMatchObject({ is_byok: false });
    const strict = await addKey(gateway, { limitNanos: 0n, includeByokInLimit: true });
    expect(await errorOf(await post(createCaller(gateway.origin, strict.token)))).toMatchObject(refusal);
  });
});
