import { afterEach, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { createCaller } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';

export interface CountedTokens {
  input: number;
  output: number;
}

/** What a caller has of a stream, every event of it held against the contract. */
export interface TextStream {
  text: string;
  /** As the stream told it last; of one that ends well. */
  tokens?: CountedTokens;
}

/** How a dialect of text is spoken, for the promises that all of them make. */
export interface TextDialect {
  path: string;
  /** A model that `addTextModels` added. */
  model: string;
  /** Which of the upstream's operations serves it. */
  on: 'chat' | 'messages';
  /** After so many events of the upstream some text was sent, and not all. */
  midway: number;
  /** A body that says this, but for `model` and `stream`. */
  saying(text: string): object;
  readWhole(response: Response): Promise<CountedTokens>;
  readStream(response: Response): Promise<TextStream>;
  /** Of a request that failed before its answer began. */
  expectRefusal(response: Response, status: number, reason: string): Promise<void>;
  /** Reads a stream that broke; `status` is what the failure would have been before the answer began. */
  readBroken(response: Response, status: number): Promise<TextStream>;
}

/** A fault without the operation that it hits. */
type Misdeed = { kind: string } & Record<string, unknown>;

/** Models beside the one of a dialect. Only tests of a timeout ask them: a busy machine may be as slow as that. */
const HASTY = { suffix: '-hasty', timeouts: { firstByteMs: 1_000, attemptMs: 1_000 } };
const RESTLESS = { suffix: '-restless', timeouts: { idleMs: 3_000 } };

/** Adds a model for `TextDialect.model`, and those beside it that have little time. */
export async function addTextModels(gateway: Gateway, id: string, at = {}): Promise<void> {
  await addChatModel(gateway, id, [{ provider: 'local', ...at }]);
  for (const { suffix, timeouts } of [HASTY, RESTLESS]) {
    await addChatModel(gateway, `${id}${suffix}`, [{ provider: 'local', timeouts, ...at }]);
  }
}

/** Returns the model that times out where the fault is a silence. */
function modelFor({ kind }: Misdeed, model: string): string {
  if (kind === 'hang') return `${model}${HASTY.suffix}`;
  return kind === 'hang-stream' ? `${model}${RESTLESS.suffix}` : model;
}

/** What any dialect promises when the upstream or the caller misbehaves. Called in a suite's top level. */
export function keepsTextPromises(gatewayOf: () => Gateway, dialect: TextDialect): void {
  const misdeed = (fault: Misdeed): void =>
    gatewayOf().upstream.addFaults({ ...fault, on: dialect.on } as FaultInput);
  const ask = (stream: boolean, text = 'Hello there', model = dialect.model): Promise<Response> => {
    const { origin, apiKey } = gatewayOf();
    const body = { ...dialect.saying(text), model, stream };
    return createCaller(origin, apiKey).call('POST', dialect.path, { body });
  };
  const told = async (stream: boolean): Promise<CountedTokens> =>
    stream ? (await dialect.readStream(await ask(true))).tokens! : dialect.readWhole(await ask(false));

  // A lost request is sent again where its connection was used before: such faults come twice.
  afterEach(() => gatewayOf().upstream.clearFaults());

  describe.each([false, true])('an upstream’s failure before the answer begins (stream: %s)', (stream) => {
    test.each<[string, Misdeed, number, string]>([
      ['an internal error', { kind: 'status', status: 500 }, 502, 'provider_server_error'],
      ['a refused credential', { kind: 'status', status: 401 }, 502, 'provider_unauthorized'],
      ['an overload', { kind: 'status', status: 503 }, 529, 'provider_overloaded'],
      ['a rate limit', { kind: 'status', status: 429, retryAfter: '7' }, 429, 'provider_rate_limited'],
      ['a cut connection', { kind: 'drop', times: 2 }, 502, 'provider_connection_lost'],
      ['silence', { kind: 'hang' }, 524, 'provider_timeout'],
      ['an error in a 200', { kind: 'error-body' }, 502, 'provider_server_error'],
      ['broken JSON', { kind: 'garbage' }, 502, 'provider_invalid_response'],
    ])('%s reaches the caller, is recorded and costs nothing', async (_what, fault, status, reason) => {
      misdeed(fault);
      const response = await ask(stream, 'Hello there', modelFor(fault, dialect.model));
      expect(response.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
      await dialect.expectRefusal(response, status, reason);
      expect(await ledgerRow(gatewayOf(), generationIdOf(response))).toMatchObject({
        status: 'failed',
        cost_nanos: '0',
        streamed: stream,
      });
    });
  });

  describe('a stream that fails in the middle', () => {
    test.each<[string, Misdeed, number]>([
      ['an error event', { kind: 'error-event' }, 502],
      ['a cut connection', { kind: 'cut-stream' }, 502],
      ['an end without an end', { kind: 'end-early' }, 502],
      ['silence', { kind: 'hang-stream' }, 524],
      ['a line without end', { kind: 'long-line', bytes: 20 * 1024 ** 2 }, 502],
    ])('ends with an error after %s, and the sent text is billed', async (_what, fault, status) => {
      misdeed({ ...fault, events: dialect.midway });
      const response = await ask(true, 'Hello there', modelFor(fault, dialect.model));
      const { text } = await dialect.readBroken(response, status);
      expect(text.startsWith('You')).toBe(true);
      const row = await ledgerRow(gatewayOf(), generationIdOf(response));
      expect(row).toMatchObject({ status: 'failed', finish_reason: 'error' });
      expect(Number(row.cost_nanos)).toBeGreaterThan(0);
    });
  });

  describe('the token counts of an upstream', () => {
    test.each([false, true])('become estimates when the upstream sends none (stream: %s)', async (stream) => {
      misdeed({ kind: 'usage', how: 'never' });
      const { input, output } = await told(stream);
      expect(input).toBeGreaterThan(0);
      expect(output).toBeGreaterThan(0);
    });

    test('come from the last usage when the upstream sends two', async () => {
      const once = await told(true);
      misdeed({ kind: 'usage', how: 'twice' });
      expect(await told(true)).toEqual(once);
    });
  });

  describe('a stream that arrives byte by byte', () => {
    test('keeps every character whole', async () => {
      misdeed({ kind: 'drip', unit: 'byte' });
      const { text } = await dialect.readStream(await ask(true, 'Grüße, 世界 🎬'));
      expect(text).toBe('You said: Grüße, 世界 🎬');
    });
  });

  describe('a caller who leaves', () => {
    test.each<[string, boolean, Misdeed]>([
      ['a stream in the middle', true, { kind: 'hang-stream', events: dialect.midway }],
      ['before the answer begins', false, { kind: 'hang' }],
    ])('cancels the upstream’s work and pays for the prompt: %s', async (_when, stream, fault) => {
      const { origin, apiKey, upstream } = gatewayOf();
      const calls = upstream.requests(dialect.on).length;
      const before = await cancelled();
      misdeed(fault);
      const leaving = new AbortController();
      const asked = fetch(`${origin}/api/v1${dialect.path}`, {
        method: 'POST',
        signal: leaving.signal,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...dialect.saying('Hello there'), model: dialect.model, stream }),
      }).then((response) => response.text());
      const call = await eventually('the upstream at work', async () => {
        const begun = upstream.requests(dialect.on)[calls];
        return begun?.outcome === undefined ? undefined : begun;
      });
      leaving.abort();
      await expect(asked).rejects.toThrow();
      await eventually('the end of the upstream’s work', async () => call.brokenOff);
      const after = await eventually('the row', async () => {
        const count = await cancelled();
        return count > before ? count : undefined;
      });
      expect(after).toBe(before + 1);
    });

    async function cancelled(): Promise<number> {
      const { rowCount } = await gatewayOf().database.query(
        `select from generations where status = 'cancelled' and tokens_prompt > 0 and cost_nanos > 0`,
      );
      return rowCount!;
    }
  });

  describe('a hostile body', () => {
    test('gets 200 or 400 when it nests 50,000 levels, and later requests succeed', async () => {
      const { origin, apiKey } = gatewayOf();
      const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
      const known = JSON.stringify({ ...dialect.saying('x'), model: dialect.model });
      const body = `${known.slice(0, -1)},"extra":${deep}}`;
      const response = await createCaller(origin, apiKey).call('POST', dialect.path, { body });
      expect([200, 400]).toContain(response.status);
      expect((await ask(false)).status).toBe(200);
    });
  });
}
