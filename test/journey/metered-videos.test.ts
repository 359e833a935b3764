import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runVerifyLedger } from '../../admin/verify-ledger.ts';
import { videoWebhookEvent } from '../../contract/webhook-events.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded, reservedNanos } from '../support/job-facts.ts';
import { ended, submit, type WireJob } from '../support/jobs.ts';
import { CLIP } from '../support/metered-jobs.ts';
import { createDatabase } from '../support/open-database.ts';
import { addCredential, type CustomerServer, startCustomerServer } from '../support/own-resources.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let gateway: Gateway;
let receiver: Receiver;
let server: CustomerServer;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['video', 'webhooks'] });
  receiver = await startReceiver();
  server = await startCustomerServer();
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
  await server.close();
});

async function finished(body: object): Promise<WireJob> {
  const { id } = await submit(gateway, { ...CLIP, callback_url: receiver.url, ...body });
  const job = await ended(gateway, id);
  expect(job.status).toBe('completed');
  return job;
}

/** Returns the usage in the job's webhook, once it is delivered. */
async function usageInEvent(jobId: string): Promise<unknown> {
  await deliveryEnded(gateway, jobId);
  const event = receiver.received.find(({ headers }) => headers['webhook-id'] === `${jobId}-completed`);
  return videoWebhookEvent.parse(JSON.parse(event!.body.toString())).data.usage;
}

describe('a video that is billed by the report of its provider', () => {
  test.each([
    ['local/clip-tokens', { cost: 0.0108, is_byok: false, units: { video_tokens: 5400 } }],
    ['local/clip-units', { cost: 0.01, is_byok: false, units: { billable_units: 1 } }],
    ['local/clip-credits', { cost: 0.05, is_byok: false, units: { billable_units: 5 } }],
    ['local/clip-deduction', { cost: 0.006125, is_byok: false, units: { billable_units: 1.75 } }],
    // Ticks are money: the tenth of a nanodollar above half a cent is rounded off.
    ['local/clip-ticks', { cost: 0.005, is_byok: false, units: { billable_units: 50_000_001 } }],
    [
      'local/clip-modalities',
      {
        // 5,400 × 0.0000175 + 25 × 0.000012 + 2 × 0.0000015 + 12 × 0.000009
        cost: 0.094911,
        is_byok: false,
        units: { video_tokens: 5400, audio_tokens: 25, input_tokens: 2, text_tokens: 12 },
      },
    ],
  ])('has the same cost in job, webhook and generation: %s', async (model, usage) => {
    const job = await finished({ model });
    expect(job.usage).toEqual(usage);
    expect(await usageInEvent(job.id)).toEqual(usage);
    const generation = await gateway.call('GET', `/generation?id=${job.generation_id}`);
    expect(await generation.json()).toMatchObject({ data: { total_cost: usage.cost } });
  });

  test('says that an estimate was billed if the provider reported nothing', async () => {
    const faults = [{ kind: 'charge', amount: null }];
    const job = await finished({ model: 'local/clip-tokens', provider: { options: { local: { faults } } } });
    const usage = { cost: 0.0108, is_byok: false, is_estimated: true };
    expect([job.usage, await usageInEvent(job.id)]).toEqual([usage, usage]);
  });

  test("costs nothing with the customer's own credential, and shows the units", async () => {
    await addCredential(gateway, server.apiKey, { provider_slug: 'local', base_url: server.baseUrl });
    const usage = { cost: 0, is_byok: true, units: { billable_units: 1 } };
    const job = await eventually('a job with the credential', async () => {
      const each = await finished({ model: 'local/clip-units' });
      return each.usage?.is_byok === true ? each : undefined;
    });
    expect([job.usage, await usageInEvent(job.id)]).toEqual([usage, usage]);
    const { rows } = await gateway.database.query(
      'select cost_nanos, is_byok from generations where id = $1',
      [job.generation_id],
    );
    expect(rows).toEqual([{ cost_nanos: '10000000', is_byok: true }]);
  });

  test('counts once in the ledger and in all counters', async () => {
    const { knex, close } = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
    const { text } = await runVerifyLedger(knex).finally(close);
    expect(text).toMatch(/The ledger agrees\.$/);
    expect(await reservedNanos(gateway)).toBe(0n);
  });
});

test('the list of video models shows the prices of units under the names of OpenRouter', async () => {
  const answer = await gateway.call('GET', '/videos/models');
  const { data } = (await answer.json()) as { data: { id: string; pricing_skus: object }[] };
  expect(data.find(({ id }) => id === 'local/clip-tokens')?.pricing_skus).toEqual({
    video_tokens: '0.000002',
    video_tokens_with_video_input: '0.000001',
  });
});
