import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  askMessage,
  type MessageEvent,
  messagesErrorOf,
  messageIn,
  readMessageEvents,
  saidIn,
} from '../support/messages.ts';
import { addTextModels, keepsTextPromises } from './text-dialect-suite.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_CLAUDE_API_KEY: 'upstream-key' } });
  await addTextModels(gateway, 'test/chat');
  await addTextModels(gateway, 'test/native', { provider: 'claude', adapter: 'anthropic' });
});

afterAll(() => gateway.close());

/** What the envelope calls a failure. */
const TYPES: Record<number, string> = {
  429: 'rate_limit_error',
  502: 'api_error',
  524: 'timeout_error',
  529: 'overloaded_error',
};

const UPSTREAMS = [
  ['test/chat', 'chat'],
  ['test/native', 'messages'],
] as const;

describe.each(UPSTREAMS)('messages over %s', (model, on) => {
  keepsTextPromises(() => gateway, {
    path: '/messages',
    model,
    on,
    // A native stream begins with its message, a ping and a block.
    midway: 5,
    saying: (text) => ({ max_tokens: 100, messages: [{ role: 'user', content: text }] }),
    async readWhole(response) {
      const { usage } = await messageIn(response);
      expect(usage.cost).toBeGreaterThan(0);
      return { input: usage.input_tokens, output: usage.output_tokens };
    },
    async readStream(response) {
      const events = await readMessageEvents(response);
      const { input_tokens, output_tokens } = lastUsage(events) as Record<string, number>;
      return { text: saidIn(events), tokens: { input: input_tokens!, output: output_tokens! } };
    },
    async expectRefusal(response, status, reason) {
      expect(response.status).toBe(status);
      const expected = { error: { type: TYPES[status], metadata: { reason } } };
      expect(await messagesErrorOf(response)).toMatchObject(expected);
    },
    async readBroken(response, status) {
      const events = await readMessageEvents(response);
      expect(events.at(-1)).toMatchObject({
        type: 'error',
        error: { type: TYPES[status] },
        request_id: response.headers.get('x-request-id'),
      });
      expect(events.some(({ type }) => type === 'message_stop')).toBe(false);
      return { text: saidIn(events) };
    },
  });

  test.each([false, true])(
    'answers 400 provider_invalid_request when the upstream refuses the request (stream: %s)',
    async (stream) => {
      gateway.upstream.addFaults({ kind: 'status', on, status: 400, message: 'Too long.' } as FaultInput);
      const response = await askMessage(gateway, { model, stream });
      expect(response.status).toBe(400);
      expect(await messagesErrorOf(response)).toMatchObject({
        error: { type: 'invalid_request_error', metadata: { reason: 'provider_invalid_request' } },
      });
      const row = await ledgerRow(gateway, generationIdOf(response));
      expect(row).toMatchObject({ status: 'failed', cost_nanos: '0', streamed: stream });
    },
  );
});

function lastUsage(events: MessageEvent[]): MessageEvent['usage'] {
  return events.findLast(({ usage }) => usage !== undefined)?.usage;
}

describe('a hostile body of POST /messages', () => {
  const post = (body: string) => gateway.call('POST', '/messages', { body });

  test('answers invalid_request_error to a million blocks', async () => {
    const body = `{"model":"test/chat","messages":[{"role":"user","content":[${'{},'.repeat(1_000_000)}{}]}]}`;
    expect((await messagesErrorOf(await post(body))).error.type).toBe('invalid_request_error');
  });

  test('answers invalid_request_error to malformed JSON', async () => {
    expect((await messagesErrorOf(await post('{'))).error.type).toBe('invalid_request_error');
  });
});
