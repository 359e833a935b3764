import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey } from '../support/accounts.ts';
import { addImageModel } from '../support/catalog.ts';
import { createCaller } from '../support/caller.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { expectReproduced } from '../support/reproduced.ts';
import { askImages, lastPicture, readImageEvents, SMALL } from '../support/images.ts';
import { askSpeech, spoken } from '../support/speech.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  await addImageModel(gateway, 'test/silent', [
    {
      provider: 'local',
      pricing: { prompt: '0', completion: '0', billableUnit: '0.01' },
      units: { usual: { per_image: '1' }, most: { per_image: '5' } },
    },
  ]);
  // The model was asked once to see that it answers, which is the first unusual bill.
  await untilAlerted();
  await gateway.database.query('delete from billing_alerts');
});

afterAll(() => gateway.close());

const UNITS = 'local/image-units';

async function costOf(response: Response): Promise<string> {
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return String((await ledgerRow(gateway, generationIdOf(response))).cost_nanos);
}

async function alerted(): Promise<string[]> {
  const { rows } = await gateway.database.query<{ id: string }>('select endpoint_id id from billing_alerts');
  return rows.map(({ id }) => id);
}

function untilAlerted(): Promise<unknown> {
  return eventually('an alert', async () => ((await alerted()).length > 0 ? true : undefined));
}

describe('pictures by units', () => {
  test.each([
    [{ size: SMALL }, '10000000'],
    [{ size: SMALL, n: 3 }, '30000000'],
    // Two begun megapixels: more than documented, but not three times as many.
    [{ size: '1536x1024' }, '20000000'],
  ])('cost the units that the provider reports: %j', async (body, nanos) => {
    expect(await costOf(await askImages(gateway, { model: UNITS, ...body }))).toBe(nanos);
    expect(await alerted()).toEqual([]);
  });

  test.each([
    [{ size: SMALL }, '10000000'],
    [{ size: '1536x1024', n: 2 }, '40000000'],
  ])('cost as much when they are streamed: %j', async (body, nanos) => {
    const response = await askImages(gateway, { model: UNITS, stream: true, ...body });
    const { usage } = lastPicture(await readImageEvents(response.clone()));
    expect(usage?.cost).toBe(Number(nanos) / 1e9);
    expect(await costOf(response)).toBe(nanos);
    expect(await alerted()).toEqual([]);
  });

  test('cost the documented number of the finished ones when their stream breaks', async () => {
    // Two drafts and their picture, and a draft of the next one.
    gateway.upstream.addFaults({ kind: 'cut-stream', on: 'images', events: 4 });
    const body = { model: UNITS, stream: true, size: '1536x1024', n: 3 };
    expect(await costOf(await askImages(gateway, body))).toBe('10000000');
    await untilAlerted();
    await gateway.database.query('delete from billing_alerts');
  });

  test('appear in the list at the documented number for a picture', async () => {
    const answer = await gateway.call('GET', `/images/models/${UNITS}/endpoints`);
    expect(await answer.json()).toMatchObject({
      endpoints: [{ pricing: [{ billable: 'output_image', unit: 'image', cost_usd: 0.01 }] }],
    });
  });

  test('fail if a picture can cost more than max_price', async () => {
    const at = async (image: number): Promise<number> => {
      const response = await askImages(gateway, { model: UNITS, provider: { max_price: { image } } });
      await response.arrayBuffer();
      return response.status;
    };
    expect([await at(0.049), await at(0.05)]).toEqual([404, 200]);
  });

  test('reserve the most that the request can cost', async () => {
    const { token } = await addKey(gateway, { limitNanos: 40_000_000n });
    const caller = createCaller(gateway.origin, token);
    expect((await askImages(gateway, { model: UNITS }, caller)).status).toBe(402);
  });
});

describe('speech by units', () => {
  test.each([
    ['The river rose.', '1600000'],
    ['Grüße 🎬', '800000'],
  ])('costs the units that the provider reports: %s', async (input, nanos) => {
    const response = await askSpeech(gateway, { model: 'local/speech-units', input });
    await spoken(response);
    expect(String((await ledgerRow(gateway, generationIdOf(response))).cost_nanos)).toBe(nanos);
    expect(await alerted()).toEqual([]);
  });
});

test('the documented number is billed and an operator alerted when the provider reports nothing', async () => {
  const response = await askImages(gateway, { model: 'test/silent', size: SMALL, n: 2 });
  expect(await costOf(response)).toBe('20000000');
  await untilAlerted();
  expect(await alerted()).toEqual(['test/silent@local']);
});

test('the bills are reproduced by `ledger reprice`', () => expectReproduced(gateway));
