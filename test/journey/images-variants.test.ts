import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { expectReproduced } from '../support/reproduced.ts';
import { askImages, madeImages, readImageEvents, SMALL } from '../support/images.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

const MODEL = 'local/image-qualities';

describe('pictures with prices by size and quality', () => {
  test.each([
    [{ size: SMALL, quality: 'low' }, '10000000'],
    [{ size: SMALL, quality: 'high' }, '160000000'],
    // The upstream chooses and states `medium`.
    [{ size: SMALL, quality: 'auto' }, '40000000'],
    [{ size: SMALL, n: 2 }, '80000000'],
  ])('cost what was made, whole and streamed: %j', async (body, nanos) => {
    const whole = await askImages(gateway, { model: MODEL, ...body });
    const { usage } = await madeImages(whole);
    expect(usage?.cost).toBe(Number(nanos) / 1e9);
    const streamed = await askImages(gateway, { model: MODEL, ...body, stream: true });
    await readImageEvents(streamed);
    for (const response of [whole, streamed]) {
      expect((await ledgerRow(gateway, generationIdOf(response))).cost_nanos).toBe(nanos);
    }
  });

  test.each([
    [{ quality: 'low' }, 200],
    [{ quality: 'high' }, 402],
    [{}, 402],
  ])('reserve the highest price that the model may choose: %j', async (body, status) => {
    const { token } = await addKey(gateway, { limitNanos: 100_000_000n });
    const caller = createCaller(gateway.origin, token);
    const response = await askImages(gateway, { model: MODEL, size: SMALL, ...body }, caller);
    await response.arrayBuffer();
    expect(response.status).toBe(status);
  });

  test('appear in the list with their variants', async () => {
    const answer = await gateway.call('GET', `/images/models/${MODEL}/endpoints`);
    const { endpoints } = (await answer.json()) as { endpoints: { pricing: object[] }[] };
    expect(endpoints[0]!.pricing).toEqual([
      { billable: 'output_image', cost_usd: 0.04, unit: 'image' },
      { billable: 'output_image', cost_usd: 0.01, unit: 'image', variant: 'low' },
      { billable: 'output_image', cost_usd: 0.16, unit: 'image', variant: 'high' },
      { billable: 'output_image', cost_usd: 0.06, unit: 'image', variant: '1536x1024' },
      { billable: 'output_image', cost_usd: 0.25, unit: 'image', variant: '1536x1024_high' },
    ]);
  });
});

test('a picture by tokens costs the tokens that the answer reports', async () => {
  const response = await askImages(gateway, { model: 'local/image-tokens', size: SMALL, prompt: 'Boat' });
  const { usage } = await madeImages(response);
  // 128 x 128 pixels by 1,024.
  expect(usage).toMatchObject({ completion_tokens: 16 });
  const { cost_nanos: cost } = await ledgerRow(gateway, generationIdOf(response));
  expect(Number(cost)).toBe(usage!.prompt_tokens * 5_000 + 16 * 40_000);
});

test('the bills are reproduced by `ledger reprice`', () => expectReproduced(gateway));
