import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { addKey } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { addImageModel } from '../support/catalog.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askImages, madeImages } from '../support/images.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_SECOND_API_KEY: 'upstream-key' } });
});

afterAll(() => gateway.close());

/** A picture of `local/image-1` with this prompt is guessed to cost a little more than $0.001. */
async function callerWith(usd: string): Promise<Caller> {
  return createCaller(gateway.origin, (await addKey(gateway, { limitNanos: parseUsd(usd) })).token);
}

test('a key that cannot pay for all images gets a 402 before any upstream request', async () => {
  const caller = await callerWith('0.0025');
  const before = gateway.upstream.requests('images').length;
  for (const stream of [false, true]) {
    const error = await errorOf(await askImages(gateway, { n: 3, stream }, caller));
    expect(error).toMatchObject({ code: 402, message: 'Key limit exceeded' });
  }
  expect(gateway.upstream.requests('images')).toHaveLength(before);
  await madeImages(await askImages(gateway, { n: 2 }, caller));
  expect((await errorOf(await askImages(gateway, {}, caller))).code).toBe(402);
});

test('the reservation of an image request is released after every kind of failure', async () => {
  // Enough for one at a time.
  const caller = await callerWith('0.0018');
  const faults: FaultInput[] = [
    { kind: 'status', on: 'images', status: 500 },
    { kind: 'drop', on: 'images', times: 2 },
    { kind: 'wrong-shape', on: 'images' },
    { kind: 'cut-stream', on: 'images', events: 1 },
    { kind: 'error-body', on: 'images' },
  ];
  for (const fault of faults) {
    for (const stream of [false, true]) {
      gateway.upstream.addFaults(fault);
      await (await askImages(gateway, { stream }, caller)).text();
      gateway.upstream.clearFaults();
    }
  }
  await madeImages(await askImages(gateway, {}, caller));
});

describe('the prices of image endpoints', () => {
  beforeAll(async () => {
    const byToken = { prompt: '0.000005', completion: '0.00003' };
    const byPicture = { prompt: '0', completion: '0', outputImage: '0.001', inputReference: '0.0002' };
    await addImageModel(gateway, 'test/priced', [
      { provider: 'second', adapter: 'openai', pricing: byToken },
      { provider: 'local', pricing: byPicture },
    ]);
  });

  const serving = async (provider: object) => {
    const response = await askImages(gateway, { model: 'test/priced', size: '512x512', provider });
    if (response.status !== 200) return (await errorOf(response)).code;
    await response.arrayBuffer();
    return (await ledgerRow(gateway, generationIdOf(response))).provider;
  };

  test('compare by the cost of the request, in tokens or images', async () => {
    expect(await serving({})).toBe('second');
    // A thousand tokens, $0.03, against $0.001.
    expect(await serving({ sort: 'price' })).toBe('local');
  });

  test.each([
    [{ image: '0.0009' }, 'second'],
    [{ completion: '29' }, 'local'],
    [{ completion: '29', image: '0.0009' }, 404],
    [{ completion: 30, image: 0.001 }, 'second'],
  ])('obey max_price %j', async (maxPrice, served) => {
    expect(await serving({ max_price: maxPrice })).toBe(served);
  });
});
