import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import OpenAI from 'openai';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient } from '../support/published-client.ts';
import { anthropicClient, openaiClient } from '../support/sdk-clients.ts';

let gateway: Gateway;
let openai: OpenAI;
let anthropic: Anthropic;
let openRouter: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway({ env: { STREAM_HEADERS_AFTER: '20ms' } });
  openai = openaiClient(gateway);
  anthropic = anthropicClient(gateway);
  openRouter = publishedClient(gateway, gateway.apiKey);
});

afterAll(() => gateway.close());

const model = 'local/echo-1';
const messages = [{ role: 'user' as const, content: 'Hello there' }];
const chat = { model, messages, stream: true as const };
const message = { model, messages, max_tokens: 100 };
const response = { model, input: 'Hello there' };

/** Long after the headers have left. */
const LATE = { on: 'chat' as const, delayMs: 250 };

async function read<Event>(stream: AsyncIterable<Event> | { choices: unknown }): Promise<Event[]> {
  const events: Event[] = [];
  if ('choices' in stream) throw new Error('no stream');
  for await (const event of stream) events.push(event);
  return events;
}

describe('a stream whose comments come before the answer', () => {
  beforeEach(() => gateway.upstream.addFaults({ kind: 'delay', ...LATE }));

  test("arrives whole as a chat in OpenAI's client", async () => {
    const events = await read(await openai.chat.completions.create(chat));
    const text = events.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toBe('You said: Hello there');
  });

  test("arrives whole as a response in OpenAI's client", async () => {
    const { output_text: text } = await openai.responses.stream(response).finalResponse();
    expect(text).toBe('You said: Hello there');
  });

  test("arrives whole as a message in Anthropic's client", async () => {
    const { content } = await anthropic.messages.stream(message).finalMessage();
    expect(content).toMatchObject([{ type: 'text', text: 'You said: Hello there' }]);
  });

  test("arrives whole as a chat in OpenRouter's client", async () => {
    const events = await read(await openRouter.chat.send({ chatRequest: chat }));
    const text = events.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toBe('You said: Hello there');
  });
});

describe('a stream whose comments come before a 429', () => {
  const waits = { retry_after_seconds: 7 };
  beforeEach(() => gateway.upstream.addFaults({ kind: 'status', status: 429, retryAfter: '7', ...LATE }));

  test("makes OpenAI's client throw for a chat, with the time to wait", async () => {
    const stream = await openai.chat.completions.create(chat);
    const failure = await read(stream).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.APIError);
    expect(failure).toMatchObject({ code: 429, error: { metadata: waits } });
  });

  test("ends with response.failed in OpenAI's client, with the time to wait", async () => {
    const events = await read(await openai.responses.create({ ...response, stream: true }));
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', metadata: waits } },
    });
    gateway.upstream.addFaults({ kind: 'status', status: 429, retryAfter: '7', ...LATE });
    const final = await openai.responses.stream(response).finalResponse();
    expect(final).toMatchObject({ status: 'failed', error: { code: 'rate_limit_exceeded' } });
  });

  test("makes Anthropic's client throw for a message, with the time to wait", async () => {
    const failure = await anthropic.messages
      .stream(message)
      .finalMessage()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Anthropic.APIError);
    expect(failure).toMatchObject({ type: 'rate_limit_error', error: { error: { metadata: waits } } });
  });

  test("yields a chunk with an error in OpenRouter's client", async () => {
    const events = await read(await openRouter.chat.send({ chatRequest: chat }));
    expect(events).toMatchObject([{ error: { code: 429, message: 'Rate limit exceeded' } }]);
  });
});
