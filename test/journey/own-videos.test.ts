import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  addCredential,
  clearBrought,
  type CredentialColumns,
  type CustomerServer,
  startCustomerServer,
} from '../support/brought.ts';
import { addVideoModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';

const MODEL = 'test/own-clip';

let gateway: Gateway;
let server: CustomerServer;

beforeAll(async () => {
  [gateway, server] = await Promise.all([
    startGateway({ env: { PROVIDER_SECOND_API_KEY: 'upstream-key' } }),
    startCustomerServer(),
  ]);
  await addVideoModel(gateway, MODEL, [{ provider: 'second', adapter: 'openai-compatible' }]);
});

afterAll(async () => {
  await gateway.close();
  await server.close();
});

afterEach(() => clearBrought(gateway));

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
function submitOwn(): Promise<string> {
  return eventually('a job with the credential', async () => {
    const { id } = await submit(gateway, { model: MODEL });
    return (await jobRow(id)).is_byok ? id : undefined;
  });
}

describe('a video job of a workspace with a credential of its own', () => {
  test('runs at the customer’s account, from submission to the files, and costs no credit', async () => {
    const credentialId = await bring();
    const id = await submitOwn();
    expect(await ended(gateway, id)).toMatchObject({
      status: 'completed',
      usage: { cost: 0, is_byok: true },
    });
    expect(server.requests('create').length).toBeGreaterThan(0);
    const row = await jobRow(id);
    expect(row).toMatchObject({ is_byok: true, credential_id: credentialId });
    expect(Number(row.cost_nanos)).toBeGreaterThan(0);
  });

  test('fails, unbilled, when the credential is deleted while the provider works', async () => {
    const credentialId = await bring();
    server.addFaults({ kind: 'status', on: 'retrieve', status: 500, times: 1_000 });
    const id = await submitOwn();
    await gateway.database.query('delete from byok_credentials where id = $1', [credentialId]);
    expect(await ended(gateway, id)).toMatchObject({
      status: 'failed',
      error: 'The credential that the job used was deleted',
    });
    server.clearFaults();
  });
});
