import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { addKey, type IssuedKey } from '../support/accounts.ts';
import { runAdmin } from '../support/admin.ts';
import { createCaller } from '../support/caller.ts';
import { addImageModel, addRerankModel, addSpeechModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const TEXT = 'Hello there';
const messages = [{ role: 'user', content: TEXT }];
const chat = { model: 'local/echo-1', messages };

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  const at = (price: object, now: object, other: object) => {
    const overrides = [
      { validFrom: '2026-01-01', ...now },
      { validFrom: '2999-01-01', ...other },
      { minPromptTokens: 1_000, ...other },
    ];
    return [{ provider: 'local', pricing: { prompt: '0', completion: '0', ...price, overrides } }];
  };
  await addImageModel(
    gateway,
    'left/images',
    at({ outputImage: '0.001' }, { outputImage: '0.003' }, { outputImage: '9' }),
  );
  await addSpeechModel(
    gateway,
    'left/speech',
    at({ character: '0.001' }, { character: '0.002' }, { character: '9' }),
  );
  await addRerankModel(
    gateway,
    'left/rerank',
    at({ searchUnit: '0.001' }, { searchUnit: '0.004' }, { searchUnit: '9' }),
  );
});
afterAll(() => gateway.close());

interface Row {
  status: string;
  cost_nanos: string;
  tokens_prompt: number | null;
  tokens_completion: number | null;
}

/** Asks, and leaves when the upstream has the request and does not answer. */
async function leave(path: string, on: string, body: object, { token }: IssuedKey): Promise<void> {
  const calls = gateway.upstream.requests(on).length;
  gateway.upstream.addFaults({ kind: 'hang', on } as FaultInput);
  const leaving = new AbortController();
  const asked = fetch(`${gateway.origin}/api/v1${path}`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await eventually('the upstream at work', async () => gateway.upstream.requests(on)[calls]?.outcome);
  leaving.abort();
  await expect(asked).rejects.toThrow();
}

function rowOf({ keyId }: IssuedKey): Promise<Row> {
  return eventually('the row', async () => {
    const { rows } = await gateway.database.query<Row>('select * from generations where key_id = $1', [
      keyId,
    ]);
    return rows[0];
  });
}

async function usageOf({ token }: IssuedKey): Promise<number> {
  const answer = await createCaller(gateway.origin, token).call('GET', '/key');
  return ((await answer.json()) as { data: { usage: number } }).data.usage;
}

describe('a caller who leaves while the upstream works', () => {
  const rerank = { model: 'local/rerank-1', query: 'a river', documents: ['the river', 'a bridge'] };
  const longer = { provider: { options: { local: { tools: [{ x: 'y'.repeat(4_000) }] } } } };
  test.each<[string, string, object, string]>([
    // Seven tokens, of which four are the message's own.
    ['/chat/completions', 'chat', chat, '7000'],
    ['/chat/completions', 'chat', { ...chat, stream: true, max_tokens: 1_000 }, '7000'],
    // As long as it is with the options for the provider that was asked.
    ['/chat/completions', 'chat', { ...chat, ...longer }, '1009000'],
    ['/messages', 'chat', { ...chat, max_tokens: 1_000 }, '7000'],
    ['/responses', 'chat', { model: chat.model, input: TEXT, stream: true }, '7000'],
    ['/embeddings', 'embeddings', { model: 'local/embed-1', input: TEXT }, '300'],
    // All that was held.
    ['/rerank', 'rerank', rerank, '100000'],
    ['/images', 'images', { model: 'local/image-1', prompt: TEXT, n: 2 }, '2003000'],
    ['/audio/speech', 'speech', { model: 'local/speech-1', input: TEXT }, '112000'],
  ])('pays for %s (%s): %j, %s', async (path, on, body, costNanos) => {
    const key = await addKey(gateway, { limitNanos: parseUsd('1') });
    await leave(path, on, body, key);
    expect(await rowOf(key)).toMatchObject({ status: 'cancelled', cost_nanos: costNanos });
    expect(await usageOf(key)).toBe(Number(costNanos) / 1e9);
  });

  test.each<[string, string, string, string]>([
    ['/images', 'images', 'left/images', '6000000'],
    ['/audio/speech', 'speech', 'left/speech', '22000000'],
    ['/rerank', 'rerank', 'left/rerank', '4000000'],
  ])(
    'pays for %s (%s) with %s by the prices whose conditions hold, %s',
    async (path, on, model, costNanos) => {
      const key = await addKey(gateway, { limitNanos: parseUsd('1000') });
      const bodies: Record<string, object> = {
        images: { prompt: TEXT, n: 2 },
        speech: { input: TEXT },
        rerank: { query: 'a', documents: ['b', 'c'] },
      };
      await leave(path, on, { model, ...bodies[on] }, key);
      expect(await rowOf(key)).toMatchObject({ status: 'cancelled', cost_nanos: costNanos });
      expect(await usageOf(key)).toBe(Number(costNanos) / 1e9);
    },
  );

  test('gets a cancelled text recorded with the tokens of its prompt', async () => {
    const key = await addKey(gateway);
    await leave('/chat/completions', 'chat', chat, key);
    expect(await rowOf(key)).toMatchObject({ tokens_prompt: 7, tokens_completion: 0 });
  });

  test('leaves bills that `ledger reprice` reproduces', async () => {
    const range = ['--from', '2026-01-01', '--to', '2999-01-01'];
    const { code, stdout } = await runAdmin(gateway, ['ledger', 'reprice', ...range]);
    const { rows } = await gateway.database.query('select from generations');
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`All ${rows.length} kept bills are reproduced`),
    ]);
  });
});
