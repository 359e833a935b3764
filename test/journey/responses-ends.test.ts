import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { nanosToUsd } from '../../domain/money.ts';
import { errorOf } from '../support/caller.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type NativeGateway, startNativeGateway } from '../support/native-gateway.ts';
import { askResponse, readResponseEvents, responded } from '../support/responses.ts';
import {
  answerAsUsual,
  answerWith,
  NATIVE_OUTPUT,
  NATIVE_USAGE,
  nativeEvents,
  nativeResponse,
  sendEvents,
} from '../support/responses-upstream.ts';

/** Served by an upstream that speaks responses alone. */
const MODEL = 'test/native';
/** And this by one that speaks chat, too, when that fails. */
const EITHER = 'test/either';

let gateway: NativeGateway['gateway'];
let upstream: NativeGateway['upstream'];
let close: NativeGateway['close'];

beforeAll(async () => {
  ({ gateway, upstream, close } = await startNativeGateway({
    [MODEL]: ['openai'],
    [EITHER]: ['openai', 'local'],
  }));
});

beforeEach(() => upstream.answer(answerAsUsual()));

afterAll(() => close());

const ask = (body: object) => askResponse(gateway, { model: MODEL, ...body });

describe("an upstream's response with status failed", () => {
  const failed = (code: string, more: object = {}) => ({
    type: 'response.failed',
    sequence_number: 10,
    response: nativeResponse({ status: 'failed', error: { code, message: 'No.' }, output: [], ...more }),
  });

  /** After ten events that the caller has the first of. */
  async function failIn(last: object) {
    const begun = Promise.withResolvers<void>();
    upstream.answer((response) => {
      sendEvents(response, nativeEvents().slice(0, 10));
      void begun.promise.then(() => {
        sendEvents(response, [last]);
        response.end();
      });
    });
    const answered = await ask({ stream: true });
    begun.resolve();
    const { type, sequence_number: number, response } = (await readResponseEvents(answered)).at(-1)!;
    expect([type, number]).toEqual(['response.failed', 10]);
    return { response: response!, row: await ledgerRow(gateway, response!.id) };
  }

  test('costs what its own usage counts', async () => {
    const usage = { ...NATIVE_USAGE, input_tokens: 700, output_tokens: 1 };
    const { response, row } = await failIn(failed('server_error', { usage }));
    expect(response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error' },
      output: [NATIVE_OUTPUT[0]],
      usage: { input_tokens: 700, output_tokens: 1, cost: expect.any(Number) },
    });
    expect(row).toMatchObject({
      status: 'failed',
      finish_reason: 'error',
      upstream_id: 'resp_upstream',
      tokens_prompt: 700,
      tokens_completion: 1,
    });
    expect(Number(row.cost_nanos)).toBeGreaterThan(0);
  });

  test.each([[{ usage: null }], [{ usage: { input_tokens: -1 } }], [{ usage: 'x', id: 5 }]])(
    'costs what the caller received if its usage is invalid: %j',
    async (more) => {
      const { response, row } = await failIn(failed('server_error', more));
      expect(response.usage!['output_tokens']).toBeGreaterThan(0);
      expect(row).toMatchObject({ status: 'failed', tokens_completion: response.usage!['output_tokens'] });
    },
  );

  test.each([
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['invalid_prompt', 'invalid_prompt'],
    ['image_content_policy_violation', 'invalid_prompt'],
    ['vector_store_timeout', 'server_error'],
  ])('turns the code %s into %s', async (code, told) => {
    expect((await failIn(failed(code))).response.error).toMatchObject({ code: told });
  });

  test.each([true, false])('falls back to a chat endpoint before any output (stream: %s)', async (stream) => {
    const event = failed('server_error');
    upstream.answer(answerWith(event.response, [event]));
    const answered = await ask({ model: EITHER, stream });
    const response = stream
      ? (await readResponseEvents(answered)).at(-1)!.response!
      : await responded(answered);
    expect(response).toMatchObject({ provider: 'Local upstream', status: 'completed' });
  });

  test('ends the request with 400 and no fallback if the prompt is invalid', async () => {
    upstream.answer((response) => response.end(JSON.stringify(failed('invalid_prompt').response)));
    const refused = await ask({ model: EITHER });
    expect(await errorOf(refused)).toMatchObject({
      code: 400,
      message: 'Invalid request parameters: body was refused by the provider: No.',
    });
    const row = await ledgerRow(gateway, generationIdOf(refused));
    expect(row).toMatchObject({ status: 'failed', cost_nanos: '0' });
    expect(row.provider_responses).toHaveLength(1);
  });
});

test.each([
  [true, 'max_output_tokens', 'length'],
  [false, 'max_output_tokens', 'length'],
  [true, 'content_filter', 'content_filter'],
  [false, 'content_filter', 'content_filter'],
])(
  "an upstream's incomplete response costs what its usage counts (stream: %s, %s)",
  async (stream, reason, finish) => {
    const facts = { status: 'incomplete', completed_at: null, incomplete_details: { reason } };
    const early = nativeResponse(facts);
    const last = { type: 'response.incomplete', sequence_number: 13, response: early };
    upstream.answer(answerWith(early, [...nativeEvents().slice(0, -1), last]));
    const answered = await ask({ stream });
    const events = stream ? await readResponseEvents(answered) : [];
    if (stream) expect(events.at(-1)!.type).toBe('response.incomplete');
    const response = events.at(-1)?.response ?? (await responded(answered));
    expect(response).toMatchObject({
      ...facts,
      model: MODEL,
      output: NATIVE_OUTPUT,
      usage: { input_tokens: 11, output_tokens: 6, cost: expect.any(Number) },
    });
    const row = await ledgerRow(gateway, response.id);
    expect(row).toMatchObject({ status: 'completed', finish_reason: finish, tokens_completion: 6 });
    expect(nanosToUsd(BigInt(row.cost_nanos))).toBe(response.usage!['cost']);
  },
);
