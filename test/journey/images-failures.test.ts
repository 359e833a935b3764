import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { errorOf } from '../support/caller.ts';
import { addImageModel } from '../support/catalog.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askImages, lastPicture, madeImages, readImageEvents, SMALL } from '../support/images.ts';

/** Models that fail, so that no other one is avoided for it. Only tests of a timeout ask those with little time. */
const FAILING = 'test/failing';
const HASTY = 'test/hasty';
const RESTLESS = 'test/restless';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  const timeouts = { firstByteMs: 1_000, attemptMs: 1_000 };
  await addImageModel(gateway, HASTY, [{ provider: 'local', timeouts }]);
  await addImageModel(gateway, FAILING, [{ provider: 'local' }]);
  await addImageModel(gateway, RESTLESS, [{ provider: 'local', timeouts: { idleMs: 3_000 } }]);
});

// A lost request is sent again where its connection was used before: such faults come twice.
afterEach(() => gateway.upstream.clearFaults());
afterAll(() => gateway.close());

const RESPITE = { kind: 'status', on: 'images', status: 429, retryAfter: '7' } as const;

describe.each([false, true])("an upstream's failure before the first image (stream: %s)", (stream) => {
  test.each<[string, FaultInput, number, string]>([
    ['an internal error', { kind: 'status', on: 'images', status: 500 }, 502, 'provider_server_error'],
    ['a refused credential', { kind: 'status', on: 'images', status: 401 }, 502, 'provider_unauthorized'],
    ['an overload', { kind: 'status', on: 'images', status: 503 }, 529, 'provider_overloaded'],
    ['a rate limit', RESPITE, 429, 'provider_rate_limited'],
    ['a cut connection', { kind: 'drop', on: 'images', times: 2 }, 502, 'provider_connection_lost'],
    ['silence', { kind: 'hang', on: 'images' }, 524, 'provider_timeout'],
    ['an error in a 200', { kind: 'error-body', on: 'images' }, 502, 'provider_server_error'],
    ['broken JSON', { kind: 'garbage', on: 'images' }, 502, 'provider_invalid_response'],
    ['another shape', { kind: 'wrong-shape', on: 'images' }, 502, 'provider_invalid_response'],
    ['no picture', { kind: 'fewer-images', images: 0 }, 502, 'provider_'],
    [
      'a refusal by policy',
      { kind: 'status', on: 'images', status: 400, code: 'moderation_blocked' },
      403,
      'provider_content_policy',
    ],
  ])(
    'reaches the caller for %s, is recorded as failed and costs nothing',
    async (_what, fault, status, reason) => {
      gateway.upstream.addFaults(fault);
      const model = fault.kind === 'hang' ? HASTY : FAILING;
      const response = await askImages(gateway, { model, stream });
      expect(response.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
      const error = await errorOf(response);
      expect(error.code).toBe(status);
      expect(error.metadata.reason).toContain(reason);
      expect(await ledgerRow(gateway, generationIdOf(response))).toMatchObject({
        status: 'failed',
        cost_nanos: '0',
        streamed: stream,
      });
    },
  );
});

describe('a provider that makes fewer images than requested', () => {
  test('gets paid for the images that arrived', async () => {
    gateway.upstream.addFaults({ kind: 'fewer-images', images: 1 });
    const { data, usage } = await madeImages(await askImages(gateway, { n: 3 }));
    expect(data).toHaveLength(1);
    expect(usage).toMatchObject({ completion_tokens: 16, cost: 0.001003 });
  });

  test('gets paid for the images that arrived in a stream', async () => {
    gateway.upstream.addFaults({ kind: 'fewer-images', images: 2 });
    const response = await askImages(gateway, { n: 3, stream: true });
    const events = await readImageEvents(response);
    expect(events.filter(({ type }) => type === 'image_generation.completed')).toHaveLength(2);
    expect(lastPicture(events).usage!.cost).toBe(0.002003);
    expect(await ledgerRow(gateway, generationIdOf(response))).toMatchObject({ status: 'completed' });
  });
});

describe('a stream of drafts that breaks off', () => {
  test.each<[string, FaultInput, string]>([
    ['a cut connection', { kind: 'cut-stream', on: 'images', events: 1 }, 'provider_connection_lost'],
    ['an end without an end', { kind: 'end-early', on: 'images', events: 1 }, 'provider_connection_lost'],
    ['silence', { kind: 'hang-stream', on: 'images', events: 1 }, 'provider_timeout'],
    ['an error event', { kind: 'error-event', on: 'images', events: 1 }, 'provider_server_error'],
    ['a named one', { kind: 'error-event', on: 'images', events: 1, named: true }, 'provider_server_error'],
    [
      'a line without end',
      { kind: 'long-line', on: 'images', events: 1, bytes: 80 * 1024 ** 2 },
      'provider_invalid_response',
    ],
  ])('ends for %s with an error event, and bills the prompt', async (_what, fault, code) => {
    gateway.upstream.addFaults(fault);
    const model = fault.kind === 'hang-stream' ? RESTLESS : FAILING;
    const response = await askImages(gateway, { model, stream: true });
    const events = await readImageEvents(response);
    expect(events.map(({ type }) => type)).toEqual(['image_generation.partial_image', 'error']);
    expect(events.at(-1)).toMatchObject({ error: { code } });
    const row = await ledgerRow(gateway, generationIdOf(response));
    expect(row).toMatchObject({ status: 'failed', finish_reason: 'error', streamed: true });
    // Three tokens of text, and no picture.
    expect(row.cost_nanos).toBe('3000');
  });

  test('bills the image that was completed before', async () => {
    gateway.upstream.addFaults({ kind: 'cut-stream', on: 'images', events: 4 });
    const response = await askImages(gateway, { n: 2, stream: true });
    const events = await readImageEvents(response);
    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
      'error',
    ]);
    expect(lastPicture(events).usage!.cost).toBe(0.001003);
    expect((await ledgerRow(gateway, generationIdOf(response))).cost_nanos).toBe('1003000');
  });
});

describe('a large image', () => {
  const BYTES = 30 * 1024 ** 2;

  test('arrives whole at 30 MiB, streamed or not', async () => {
    gateway.upstream.addFaults({ kind: 'large-image', bytes: BYTES, times: 2 });
    const { data } = await madeImages(await askImages(gateway, {}));
    expect(data[0]!.b64_json).toHaveLength(BYTES);
    const events = await readImageEvents(await askImages(gateway, { stream: true }));
    expect(lastPicture(events).b64_json).toHaveLength(BYTES);
  });

  test('fails with provider_invalid_response above 64 MiB', async () => {
    gateway.upstream.addFaults({ kind: 'large-image', bytes: 65 * 1024 ** 2 });
    expect((await errorOf(await askImages(gateway, {}))).metadata.reason).toBe('provider_invalid_response');
  });

  test('arrives whole when the upstream sends one byte at a time', async () => {
    gateway.upstream.addFaults({ kind: 'drip', on: 'images', unit: 'byte' });
    const [{ data }, { data: whole }] = [
      await madeImages(await askImages(gateway, {})),
      await madeImages(await askImages(gateway, {})),
    ];
    expect(data).toEqual(whole);
  });
});

describe('a caller who leaves', () => {
  test.each<[string, boolean, FaultInput]>([
    ['in the middle of 30 MB', false, { kind: 'large-image', stallsAfter: 12 * 1024 ** 2 }],
    ['before anything is there', false, { kind: 'hang', on: 'images' }],
    ['between two drafts', true, { kind: 'hang-stream', on: 'images', events: 1 }],
    ['in the middle of a large event', true, { kind: 'large-image', stallsAfter: 12 * 1024 ** 2 }],
  ])("ends the upstream's work %s, and pays for the image", async (_when, stream, fault) => {
    const calls = gateway.upstream.requests('images').length;
    gateway.upstream.addFaults(fault);
    const leaving = new AbortController();
    const asked = fetch(`${gateway.origin}/api/v1/images`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'local/image-1', prompt: 'A lighthouse', size: SMALL, stream }),
    });
    const call = await eventually('the upstream at work', async () => {
      const begun = gateway.upstream.requests('images')[calls];
      return begun?.outcome === undefined ? undefined : begun;
    });
    // Of a stream the beginning is awaited.
    if (stream) await asked;
    const before = await cancelled();
    leaving.abort();
    await expect(asked.then((response) => response.text())).rejects.toThrow();
    await eventually('the end of the upstream’s work', async () => call.brokenOff);
    const rows = await eventually('the row', async () => {
      const after = await cancelled();
      return after.length > before.length ? after : undefined;
    });
    expect(rows).toHaveLength(before.length + 1);
    expect(rows.at(-1)).toMatchObject({ cost_nanos: '1003000', streamed: stream });
  });

  async function cancelled() {
    const { rows } = await gateway.database.query<{ cost_nanos: string; streamed: boolean }>(
      `select cost_nanos, streamed from generations where status = 'cancelled' order by settled_at`,
    );
    return rows;
  }
});
