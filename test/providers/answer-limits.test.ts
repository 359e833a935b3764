import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { AppError } from '../../domain/errors.ts';
import { AnswerAllowance } from '../../providers/answer-allowance.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import { createResponsesAdapter } from '../../providers/openai/responses.ts';
import { createChatAdapter } from '../../providers/openai-compatible/chat.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { createTextHttp, type TextHttp } from '../../providers/text-http.ts';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import { eventually } from '../support/eventually.ts';
import { freeMemory } from '../support/free-answer.ts';
import { failureOf } from './text-adapter-under-test.ts';

const MIB = 1024 ** 2;
const REQUEST = { model: 'm', messages: [], input: 'x' };
const TOO_LONG = { code: 'invalid_response', retryable: true };

let dispatcher: Dispatcher;
let vendor: LoopbackServer;
let answer: (response: ServerResponse) => void | Promise<void>;
let http: TextHttp;

beforeEach(async () => {
  dispatcher = createProviderDispatcher();
  vendor = await startLoopbackServer((request, response) => {
    request.resume();
    void answer(response);
  });
  http = createTextHttp({ baseUrl: vendor.origin, apiKey: undefined, dispatcher });
});
afterEach(async () => {
  await dispatcher.destroy();
  await vendor.close();
});

/** Memory that can be used up, and that shows how much of it is held. */
function scarceMemory() {
  const free = Promise.withResolvers<void>();
  free.promise.catch(() => {});
  const memory = { held: 0, isUsedUp: false, ...freeMemory() };
  memory.add = (bytes) => (memory.held += bytes);
  memory.room = () => (memory.isUsedUp ? free.promise : undefined);
  const release = (): void => {
    memory.isUsedUp = false;
    free.resolve();
  };
  return { memory, release, deny: (error: AppError) => free.reject(error) };
}

function contextOf(allowance: AnswerAllowance): LiveCallContext {
  const { signal } = new AbortController();
  const timeouts = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };
  return { signal, requestId: 'req_test', timeouts, answer: allowance };
}

const context = (hasMedia = false) => contextOf(new AnswerAllowance(freeMemory(), hasMedia));

function chatOf(bytes: number): string {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '' } }];
  const json = JSON.stringify({ choices });
  return json.replace('"content":""', `"content":"${'x'.repeat(bytes - json.length)}"`);
}

const eventOf = (bytes: number): string =>
  `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(bytes)}"},"finish_reason":"stop"}]}\n\n`;

function send(type: string, ...pieces: string[]): void {
  answer = (response) => {
    response.writeHead(200, { 'content-type': type });
    for (const piece of pieces) response.write(piece);
    response.end();
  };
}

const sendJson = (...pieces: string[]): void => send('application/json', ...pieces);
const sendEvents = (...pieces: string[]): void => send('text/event-stream', ...pieces);

async function lengthsOf(stream: AsyncIterable<object[]>): Promise<number[]> {
  const lengths: number[] = [];
  for await (const parts of stream) for (const part of parts) lengths.push(JSON.stringify(part).length);
  return lengths;
}

describe('an answer that is not streamed', () => {
  const complete = (given: LiveCallContext) =>
    createChatAdapter({ http, toVendor: (request) => request }).complete(REQUEST, given);

  test('may have 16 MiB of text and not a byte more', async () => {
    sendJson(chatOf(16 * MIB));
    expect((await complete(context())).choices).toHaveLength(1);
    sendJson(chatOf(16 * MIB + 1));
    expect(await failureOf(complete(context()))).toMatchObject(TOO_LONG);
  });

  test('may have 64 MiB with media', async () => {
    sendJson(chatOf(17 * MIB));
    expect((await complete(context(true))).choices).toHaveLength(1);
    sendJson(chatOf(64 * MIB), ' ');
    expect(await failureOf(complete(context(true)))).toMatchObject(TOO_LONG);
  });

  test('fails at its head when that announces more than the limit', async () => {
    const closed = Promise.withResolvers<void>();
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 17 * MIB }).write('{');
      response.once('close', closed.resolve);
    };
    expect(await failureOf(complete(context()))).toMatchObject(TOO_LONG);
    await closed.promise;
  });

  test('fails if made of mostly empty objects, but not of objects of 16 bytes', async () => {
    const withObjects = (object: string): string => {
      const objects = Array<string>(Math.floor((2 * MIB) / (object.length + 1))).fill(object);
      return chatOf(100).replace('{', `{"objects":[${objects.join(',')}],`);
    };
    sendJson(withObjects('{}'));
    expect(await failureOf(complete(context()))).toMatchObject(TOO_LONG);
    sendJson(withObjects('{"name":"[{{{"}'));
    expect((await complete(context())).choices).toHaveLength(1);
  });

  test('reserves memory from its first chunk and makes the upstream wait for more', async () => {
    const { memory, release } = scarceMemory();
    memory.isUsedUp = true;
    let written = 0;
    answer = async (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const piece = ' '.repeat(64 * 1024);
      for (; written < 8 * MIB; written += piece.length) {
        if (!response.write(piece)) await once(response, 'drain');
      }
      response.end(chatOf(100));
    };
    const asked = complete(contextOf(new AnswerAllowance(memory, false)));
    await eventually('the first chunk', async () => memory.held > 0 || undefined);
    expect(memory.held).toBeLessThan(MIB);
    release();
    expect((await asked).choices).toHaveLength(1);
    // The parsed answer takes the place of its bytes.
    expect(memory.held).toBe(8 * MIB + 100);
  });

  test("fails with the caller's error, not the upstream's, when memory is denied", async () => {
    const { memory, deny } = scarceMemory();
    memory.isUsedUp = true;
    sendJson(chatOf(MIB));
    const failure = failureOf(complete(contextOf(new AnswerAllowance(memory, false))));
    deny(new AppError('rate_limited', { reason: 'too_many' }));
    expect(await failure).toMatchObject({
      code: 'aborted',
      sent: true,
      retryable: false,
      callerError: { code: 'rate_limited', options: { reason: 'too_many' } },
    });
    expect(memory.held).toBe(0);
  });
});

describe('an event of a streamed answer', () => {
  const stream = (given: LiveCallContext) =>
    createChatAdapter({ http, toVendor: (request) => request }).stream(REQUEST, given);

  test('may have 1 MiB of text', async () => {
    sendEvents(eventOf(MIB - 1_000), 'data: [DONE]\n\n');
    expect(await lengthsOf(await stream(context()))).toHaveLength(1);
    sendEvents(eventOf(1), eventOf(2 * MIB));
    expect(await failureOf(stream(context()).then(lengthsOf))).toMatchObject(TOO_LONG);
  });

  test('may be as large as the setting for events allows', async () => {
    const limits = { maxTextBytes: 16 * MIB, maxEventBytes: 3 * MIB, maxMediaBytes: 64 * MIB };
    const answer = new AnswerAllowance({ ...freeMemory(), limits }, false);
    sendEvents(eventOf(2 * MIB), 'data: [DONE]\n\n');
    expect(await lengthsOf(await stream(contextOf(answer)))).toHaveLength(1);
  });

  test('may have 64 MiB with media', async () => {
    sendEvents(eventOf(20 * MIB), 'data: [DONE]\n\n');
    expect(await lengthsOf(await stream(context(true)))).toHaveLength(1);
  });

  test.each([
    ['that repeats the response', 'response.completed', 15 * MIB, true],
    ['that repeats the request', 'response.created', 15 * MIB, true],
    ['of any other kind', 'response.output_text.delta', 2 * MIB, false],
    ['that repeats more than the largest answer', 'response.completed', 17 * MIB, false],
  ])('has the limit of its kind: one %s, %s of %i bytes', async (_, type, bytes, fits) => {
    const adapter = createResponsesAdapter(http);
    const response = { id: 'r', output: [], text: 'x'.repeat(bytes) };
    const last = JSON.stringify({ type: 'response.incomplete', response: { id: 'r', output: [] } });
    // With and without the name of the event in front of its data.
    for (const name of ['', `event: ${type}\n`]) {
      sendEvents(`${name}data: ${JSON.stringify({ type, response })}\n\ndata: ${last}\n\n`);
      const read = adapter.stream(REQUEST, context()).then(lengthsOf);
      if (fits) expect((await read)[0]).toBeGreaterThan(bytes);
      else expect(await failureOf(read)).toMatchObject(TOO_LONG);
    }
  });

  test('arrives only when the caller asks for the next one', async () => {
    const { memory } = scarceMemory();
    let written = 0;
    answer = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const piece = eventOf(64 * 1024);
      const isOpen = (): boolean => !response.destroyed;
      for (; written < 64 * MIB && isOpen(); written += piece.length) {
        if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
    };
    const arriving = await stream(contextOf(new AnswerAllowance(memory, false)));
    let before = -1;
    await eventually('the upstream that waits', async () => {
      const isSame = written > 0 && written === before;
      before = written;
      return isSame || undefined;
    });
    expect(written).toBeLessThan(32 * MIB);
    expect(memory.held).toBeLessThan(512 * 1024);
    await arriving[Symbol.asyncIterator]().return?.();
    expect(memory.held).toBe(0);
  });

  test('waits for memory and arrives when there is some', async () => {
    const { memory, release } = scarceMemory();
    memory.isUsedUp = true;
    sendEvents(eventOf(200_000), 'data: [DONE]\n\n');
    const reading = stream(contextOf(new AnswerAllowance(memory, false))).then(lengthsOf);
    await eventually('the first chunk', async () => memory.held > 0 || undefined);
    expect(memory.held).toBeLessThan(200_000);
    release();
    expect(await reading).toHaveLength(1);
    // The gateway may keep a large event until the answer is billed.
    expect(memory.held).toBeGreaterThan(200_000);
  });

  test("ends the stream with the caller's error when memory is denied", async () => {
    const { memory, deny } = scarceMemory();
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(eventOf(1));
      setImmediate(() => {
        memory.isUsedUp = true;
        response.write(eventOf(200_000));
      });
    };
    const reading = failureOf(stream(contextOf(new AnswerAllowance(memory, false))).then(lengthsOf));
    await eventually('the first chunk', async () => memory.held > 0 || undefined);
    deny(new AppError('rate_limited'));
    expect(await reading).toMatchObject({ callerError: { code: 'rate_limited' } });
    expect(memory.held).toBe(0);
  });

  test('counts as more than its bytes when its pieces have one byte', async () => {
    const { memory } = scarceMemory();
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      // Chunks of HTTP with one byte each.
      response.socket!.write('1\r\nx\r\n'.repeat(1_000));
    };
    void stream(contextOf(new AnswerAllowance(memory, false))).catch(() => {});
    await eventually('the pieces', async () => memory.held >= 65_000 || undefined);
  });

  test('keeps no id, tier or usage of several kilobytes', async () => {
    const long = 'x'.repeat(5_000);
    const usage = { prompt_tokens: 1, completion_tokens: 1 };
    const chunk = { id: long, service_tier: long, choices: [{ delta: { content: 'x' } }] };
    sendEvents(
      `data: ${JSON.stringify({ ...chunk, usage: { ...usage, more: long } })}\n\n`,
      `data: ${JSON.stringify({ id: 'c', choices: [{ delta: { content: long }, finish_reason: 'stop' }], usage })}\n\ndata: [DONE]\n\n`,
    );
    const chunks: object[] = [];
    for await (const arrived of await stream(context())) chunks.push(...arrived);
    expect(chunks).toHaveLength(2);
    for (const name of ['id', 'service_tier', 'usage']) expect(chunks[0]).not.toHaveProperty(name);
    expect(chunks[1]).toMatchObject({ id: 'c', usage });
  });
});

test('an answer reserves at most as much memory as the largest answer', () => {
  const { memory } = scarceMemory();
  const allowance = new AnswerAllowance(memory, false);
  for (let n = 0; n < 20; n += 1) allowance.passEvent(MIB);
  expect(memory.held).toBe(16 * MIB);
  expect(() => allowance.keep(1)).toThrow(expect.objectContaining(TOO_LONG));
  allowance.release();
  expect(memory.held).toBe(0);
  allowance.keep(16 * MIB);
  allowance.passEvent(64 * 1024);
  expect(memory.held).toBe(16 * MIB);
});
