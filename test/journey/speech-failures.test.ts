import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { addSpeechModel } from '../support/catalog.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askSpeech, priceOf, spoken, type SpeechRow } from '../support/speech.ts';

const MIB = 1024 ** 2;
/** 240 ms of PCM. */
const PIECE_BYTES = 11_520;

/** Models that fail, so that no other one is avoided for it. Only tests of a timeout ask those with little time. */
const FAILING = 'test/failing';
const HASTY = 'test/hasty';
const RESTLESS = 'test/restless';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  await addSpeechModel(gateway, HASTY, [{ provider: 'local', timeouts: { firstByteMs: 1_000 } }]);
  await addSpeechModel(gateway, FAILING, [{ provider: 'local' }]);
  await addSpeechModel(gateway, RESTLESS, [{ provider: 'local', timeouts: { idleMs: 3_000 } }]);
});

// A lost request is sent again where its connection was used before: such faults come twice.
afterEach(() => gateway.upstream.clearFaults());
afterAll(() => gateway.close());

const row = async (id: string) => (await ledgerRow(gateway, id)) as SpeechRow;

describe("an upstream's failure before the first byte", () => {
  test.each<[string, FaultInput, number, string]>([
    ['an internal error', { kind: 'status', on: 'speech', status: 500 }, 502, 'provider_server_error'],
    ['a refused credential', { kind: 'status', on: 'speech', status: 401 }, 502, 'provider_unauthorized'],
    ['an overload', { kind: 'status', on: 'speech', status: 503 }, 529, 'provider_overloaded'],
    [
      'a rate limit',
      { kind: 'status', on: 'speech', status: 429, retryAfter: '7' },
      429,
      'provider_rate_limited',
    ],
    ['a cut connection', { kind: 'drop', on: 'speech', times: 2 }, 502, 'provider_connection_lost'],
    ['silence', { kind: 'hang', on: 'speech' }, 524, 'provider_timeout'],
    ['headers and no more', { kind: 'hang-stream', on: 'speech', events: 0 }, 524, 'provider_timeout'],
    ['an error in a 200', { kind: 'error-body', on: 'speech' }, 502, 'provider_server_error'],
    ['a page', { kind: 'content-type', on: 'speech', value: 'text/html' }, 502, 'provider_invalid_response'],
    [
      'a refusal by policy',
      { kind: 'status', on: 'speech', status: 400, code: 'content_policy_violation' },
      403,
      'provider_content_policy',
    ],
  ])('%s has its own status and reason, and costs nothing', async (_what, fault, status, reason) => {
    gateway.upstream.addFaults(fault);
    const model = fault.kind.startsWith('hang') ? HASTY : FAILING;
    const response = await askSpeech(gateway, { model });
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
    expect(await errorOf(response)).toMatchObject({ code: status, metadata: { reason } });
    expect(await row(generationIdOf(response))).toMatchObject({
      api_type: 'tts',
      status: 'failed',
      cost_nanos: '0',
      output_modalities: 0,
    });
  });
});

describe("an upstream's failure in the middle of a sound", () => {
  test.each<[string, FaultInput]>([
    ['a cut connection', { kind: 'cut-stream', on: 'speech', events: 2 }],
    ['silence', { kind: 'hang-stream', on: 'speech', events: 2 }],
  ])("%s cuts the caller's connection, and the received part is billed", async (_what, fault) => {
    gateway.upstream.addFaults(fault);
    const input = 'The river rose in the night.';
    const model = fault.kind === 'hang-stream' ? RESTLESS : FAILING;
    const response = await askSpeech(gateway, { model, input });
    const { bytes, error } = await readAll(response);
    expect(error).toBeDefined();
    expect(bytes).toBe(2 * PIECE_BYTES);
    expect(await row(generationIdOf(response))).toMatchObject({
      status: 'failed',
      finish_reason: 'error',
      cost_nanos: priceOf(input.length, 0.48),
    });
  });

  test('releases the reservation', async () => {
    // Enough for what is reserved beside what was spent, but not if any of it were kept.
    const { token } = await addKey(gateway, { limitNanos: 260_000n });
    const caller = createCaller(gateway.origin, token);
    const input = 'x'.repeat(20);
    for (const kind of ['cut-stream', 'drop'] as const) {
      gateway.upstream.addFaults(
        kind === 'drop' ? { kind, on: 'speech', times: 2 } : { kind, on: 'speech', events: 1 },
      );
      const response = await askSpeech(gateway, { input }, { caller });
      expect(response.status).toBe(kind === 'drop' ? 502 : 200);
      await readAll(response);
      gateway.upstream.clearFaults();
    }
    await spoken(await askSpeech(gateway, { input: 'x' }, { caller }));
  });
});

describe('a sound in pieces', () => {
  test('arrives whole, byte by byte', async () => {
    const whole = await spoken(await askSpeech(gateway, { response_format: 'mp3' }));
    gateway.upstream.addFaults({ kind: 'drip', on: 'speech', unit: 'byte' });
    const dripped = await spoken(await askSpeech(gateway, { response_format: 'mp3' }));
    expect(dripped.equals(whole)).toBe(true);
  });

  test('begins to arrive before its end', async () => {
    gateway.upstream.addFaults({ kind: 'hang-stream', on: 'speech', events: 1 });
    const answer = await begin({ input: 'The river rose.' });
    expect(answer.headers['content-type']).toBe('audio/pcm;rate=24000');
    await firstBytes(answer);
    answer.destroy();
  });

  test('arrives whole with 30 MB, at its price', async () => {
    gateway.upstream.addFaults({ kind: 'stream', on: 'speech', bytes: 30 * MIB });
    const response = await askSpeech(gateway, {});
    expect((await spoken(response)).length).toBe(30 * MIB);
    const seconds = (30 * MIB) / 48_000;
    expect((await row(generationIdOf(response))).cost_nanos).toBe(priceOf(15, seconds));
  });
});

describe('a caller who disconnects from POST /audio/speech', () => {
  /** What is held for `The river rose.`: four tokens of 0.3 seconds each. */
  const HELD = priceOf(15, 1.2);

  test.each<[string, FaultInput]>([
    ['in the middle of a sound', { kind: 'hang-stream', on: 'speech', events: 2 }],
    ['in the middle of 30 MB', { kind: 'stream', on: 'speech', bytes: 30 * MIB }],
  ])("ends the upstream's request %s, and pays at least the reserved amount", async (_when, fault) => {
    const calls = gateway.upstream.requests('speech').length;
    gateway.upstream.addFaults(fault);
    const answer = await begin({ input: 'The river rose.' });
    await firstBytes(answer);
    answer.destroy();
    await eventually(
      'the end of the upstream’s work',
      async () => gateway.upstream.requests('speech')[calls]?.brokenOff,
    );
    const { status, cost_nanos: cost } = await row(String(answer.headers['x-generation-id']));
    expect(status).toBe('cancelled');
    if (fault.kind === 'hang-stream') expect(cost).toBe(HELD);
    else expect(Number(cost)).toBeGreaterThanOrEqual(Number(HELD));
    expect(Number(cost)).toBeLessThan(Number(priceOf(15, (30 * MIB) / 48_000)));
  });

  test("ends the upstream's request before the first byte, and pays the reserved amount", async () => {
    const calls = gateway.upstream.requests('speech').length;
    const before = await cancelled();
    gateway.upstream.addFaults({ kind: 'hang', on: 'speech' });
    const asking = post({ input: 'The river rose.' });
    const call = await eventually('the call', async () => {
      const begun = gateway.upstream.requests('speech')[calls];
      return begun?.outcome === undefined ? undefined : begun;
    });
    asking.on('error', () => {}).destroy();
    await eventually('the end of the upstream’s work', async () => call.brokenOff);
    const after = await eventually('the row', async () => {
      const rows = await cancelled();
      return rows.length > before.length ? rows : undefined;
    });
    expect(after.at(-1)).toEqual({ cost_nanos: HELD });
  });

  async function cancelled(): Promise<unknown[]> {
    const { rows } = await gateway.database.query(
      `select cost_nanos from generations where status = 'cancelled' order by created_at, id`,
    );
    return rows;
  }
});

/** As far as it goes. */
async function readAll(response: Response): Promise<{ bytes: number; error?: unknown }> {
  let bytes = 0;
  try {
    for await (const piece of response.body!) bytes += (piece as Uint8Array).length;
    return { bytes };
  } catch (error) {
    return { bytes, error };
  }
}

function post(body: object): ClientRequest {
  const asking = request(`${gateway.origin}/api/v1/audio/speech`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
  });
  asking.end(JSON.stringify({ model: 'local/speech-1', ...body }));
  return asking;
}

function begin(body: object): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    post(body).once('response', resolve).once('error', reject);
  });
}

function firstBytes(answer: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    answer.once('error', () => {}).once('readable', resolve);
  });
}
