/** Checks that a server is asked without `stream_options` only after it has refused that field itself. */
import { expect, test } from '@jest/globals';
import { ProviderError } from '../../domain/provider-error.ts';
import type { ChatChunk, TextRequest } from '../../providers/chat-adapter.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import { createChatAdapter } from '../../providers/openai-compatible/chat.ts';
import type { TextHttp } from '../../providers/text-http.ts';

const REFUSAL = "Unrecognized request argument supplied: 'stream_options'";

type Sent = Record<string, unknown>;

/** Returns the fields of the streams that a server was asked for. It refuses some of them with a message. */
function setUp(refusalOf: (body: Sent) => string | undefined) {
  const bodies: Sent[] = [];
  const http = {
    async stream(_: string, body: object) {
      bodies.push(body as Sent);
      const publicMessage = refusalOf(body as Sent);
      if (publicMessage === undefined) return (async function* (): AsyncGenerator<ChatChunk[]> {})();
      throw new ProviderError({ code: 'invalid_request', sent: true, retryable: false, publicMessage });
    },
  } as unknown as TextHttp;
  const chat = createChatAdapter({ http, toVendor: (request) => request });
  const context = {} as LiveCallContext;
  const ask = (more: object = {}) =>
    chat
      .stream({ model: 'm', messages: [], ...more } as TextRequest, context)
      .then(() => 'answered')
      .catch((error: unknown) => (error as ProviderError).publicMessage);
  return { ask, asked: () => bodies.splice(0).map((body) => 'stream_options' in body) };
}

test('a refusal of stream_options is remembered once the request without them succeeds', async () => {
  const { ask, asked } = setUp((body) => ('stream_options' in body ? REFUSAL : undefined));
  expect([await ask(), await ask()]).toEqual(['answered', 'answered']);
  expect(asked()).toEqual([true, false, false]);
});

test('a refusal that repeats without stream_options is not remembered', async () => {
  const { ask, asked } = setUp(({ response_format: format }) => (format === undefined ? undefined : REFUSAL));
  expect(await ask({ response_format: { type: 'stream_options' } })).toBe(REFUSAL);
  expect(asked()).toEqual([true, false]);
  expect(await ask()).toBe('answered');
  expect(asked()).toEqual([true]);
});

test('a refusal that only mentions stream_options causes no second request', async () => {
  const message = "'stream_options' is no value of response_format.type";
  const { ask, asked } = setUp(() => message);
  expect(await ask()).toBe(message);
  expect(asked()).toEqual([true]);
});
