import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { errorOf } from '../support/caller.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type NativeGateway, startNativeGateway } from '../support/native-gateway.ts';
import { wordsOf } from '../support/response-events.ts';
import { askResponse, readResponseEvents, responded } from '../support/responses.ts';
import {
  answerAsUsual,
  NATIVE_OUTPUT,
  NATIVE_USAGE,
  nativeEvents,
  sendEvents,
} from '../support/responses-upstream.ts';

const MODEL = 'test/native';

let gateway: NativeGateway['gateway'];
let upstream: NativeGateway['upstream'];
let close: NativeGateway['close'];

beforeAll(async () => {
  ({ gateway, upstream, close } = await startNativeGateway({ [MODEL]: ['openai', 'local'] }));
});

beforeEach(() => upstream.answer(answerAsUsual()));

afterAll(() => close());

const ask = (body: object = {}) => askResponse(gateway, { model: MODEL, ...body });

describe('an upstream that speaks responses', () => {
  test("receives the request without the gateway's own fields, and with store false", async () => {
    const request = {
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        NATIVE_OUTPUT[0],
        { type: 'custom_tool_call_output', call_id: '1', output: 'x' },
      ],
      instructions: 'Be brief.',
      max_output_tokens: 5,
      truncation: 'auto',
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'custom', name: 'shell' }],
      safety_identifier: 's',
      unknown_to_us: { deep: [1, null] },
    };
    await responded(await ask({ ...request, user: 'u', session_id: 's', provider: { sort: 'price' } }));
    expect(upstream.asked.at(-1)).toEqual({ model: 'echo-1', ...request, stream: false, store: false });
  });

  test("answers under the gateway's id, model and cost", async () => {
    const answered = await ask({ instructions: 'Be brief.' });
    const response = await responded(answered);
    expect(response).toMatchObject({
      id: generationIdOf(answered),
      model: MODEL,
      provider: 'OpenAI',
      instructions: 'Be brief.',
      output: NATIVE_OUTPUT,
      unknown_to_us: { deep: true },
      presence_penalty: null,
      usage: { input_tokens: 11, output_tokens: 6, total_tokens: 17, is_byok: false },
    });
    expect(response).not.toHaveProperty('billing');
    const row = await ledgerRow(gateway, response.id);
    expect(row).toMatchObject({
      provider: 'openai',
      upstream_id: 'resp_upstream',
      tokens_prompt: NATIVE_USAGE.input_tokens,
      tokens_completion: NATIVE_USAGE.output_tokens,
      finish_reason: 'stop',
    });
    expect(Number(row.cost_nanos)).toBeGreaterThan(0);
  });

  test('streams all of its events to the caller, unknown types included', async () => {
    const events = await readResponseEvents(await ask({ stream: true }));
    const told = nativeEvents();
    expect(events.map(({ type, sequence_number: number }) => [type, number])).toEqual(
      told.map(({ type, sequence_number: number }) => [type, number]),
    );
    expect(events.filter(({ response }) => response === undefined)).toEqual(
      told.filter(({ response }) => response === undefined),
    );
    const last = events.at(-1)!.response!;
    expect(wordsOf(last)).toBe('Hello');
    expect(last.usage).toMatchObject({ input_tokens: 11, cost: expect.any(Number) });
    expect(await ledgerRow(gateway, last.id)).toMatchObject({ streamed: true, tokens_completion: 6 });
  });

  test('ends as response.failed with its output so far when it breaks off', async () => {
    upstream.answer((response) => {
      sendEvents(response, nativeEvents().slice(0, 10));
      response.end();
    });
    const events = await readResponseEvents(await ask({ stream: true }));
    const { type, sequence_number: number, response } = events.at(-1)!;
    expect([type, number]).toEqual(['response.failed', 10]);
    expect(response).toMatchObject({ status: 'failed', model: MODEL, output: [NATIVE_OUTPUT[0]] });
    const row = await ledgerRow(gateway, response!.id);
    expect(row).toMatchObject({ status: 'failed', upstream_id: 'resp_upstream' });
    expect(Number(row.cost_nanos)).toBeGreaterThan(0);
  });

  test('yields to a chat endpoint when it fails before any output', async () => {
    upstream.answer((response) => response.writeHead(500).end('{}'));
    const response = await responded(await ask());
    expect(response['provider']).toBe('Local upstream');
    expect(wordsOf(response)).toBe('You said: Hello there');
  });

  test('has no fallback for a field that only it supports: the caller gets 502', async () => {
    upstream.answer((response) => response.writeHead(500).end('{}'));
    const refused = await ask({ truncation: 'auto' });
    expect(await errorOf(refused)).toMatchObject({ code: 502 });
    const { provider_responses: attempts } = await ledgerRow(gateway, generationIdOf(refused));
    expect(attempts).toHaveLength(2);
  });

  test('passes its own refusal on with 400', async () => {
    const error = { message: "Unknown parameter: 'top_k'.", type: 'invalid_request_error', param: 'top_k' };
    upstream.answer((response) => response.writeHead(400).end(JSON.stringify({ error })));
    expect(await errorOf(await ask({ top_k: 3 }))).toMatchObject({
      code: 400,
      message: `Invalid request parameters: body was refused by the provider: ${error.message}`,
    });
  });
});
