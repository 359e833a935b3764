/** Checks that every habit of a vendor holds for every row of `vendors.ts`, whole and streamed. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { createOutboundGuard, type OutboundGuard } from '../../../platform/outbound-guard.ts';
import type { Deviation } from '../../../domain/catalog/deviations.ts';
import type { Fields } from '../../../domain/fields.ts';
import type { ChatAdapter, ChatChunk, TextRequest } from '../../../providers/chat-adapter.ts';
import { COMPATIBLE_VENDORS } from '../../../providers/openai-compatible/vendors.ts';
import { createProviderDispatcher } from '../../../providers/provider-connection.ts';
import type { Provider } from '../../../providers/provider.ts';
import { createProviders } from '../../../providers/registry.ts';
import { freeAnswer } from '../../support/free-answer.ts';
import {
  sendJson,
  startVendorServer,
  type VendorCall,
  type VendorServer,
} from '../../support/vendor-server.ts';
import { chunksOf, failureOf } from '../text-adapter-under-test.ts';
import { type Habit, HELLO, type Seen } from './habit.ts';
import { HABITS_OF_ANSWERS } from './of-answers.ts';
import { HABITS_OF_COUNTS } from './of-counts.ts';
import { HABITS_OF_REFUSALS } from './of-refusals.ts';
import { HABITS_OF_REQUESTS } from './of-requests.ts';

const HABITS = [...HABITS_OF_ANSWERS, ...HABITS_OF_COUNTS, ...HABITS_OF_REQUESTS, ...HABITS_OF_REFUSALS];

/** The vendors, and a server that an operator imported without any deviation. */
const ROWS = [
  ...COMPATIBLE_VENDORS.map((vendor) => ({
    ...vendor,
    adapter: vendor.ownServer ? 'compatible-server' : 'compatible-vendor',
  })),
  { slug: 'own', adapter: 'openai-compatible', baseUrl: 'https://own.example/v1', deviations: [] },
].map(({ slug, adapter, baseUrl = 'https://own.example/v1', deviations = [] }) => ({
  slug,
  adapter,
  path: new URL(baseUrl).pathname.replace(/\/$/, ''),
  has: (deviation: Deviation): boolean => deviations.includes(deviation),
}));
type Row = (typeof ROWS)[number];

const FIRST_BYTE_MS = { patient: 60_000, silent: 40 };
const dispatcher = createProviderDispatcher();
let vendor: VendorServer;
let outbound: OutboundGuard;

beforeAll(async () => {
  vendor = await startVendorServer(answer);
  outbound = createOutboundGuard({ allow: ['127.0.0.0/8'] });
});
afterAll(async () => {
  await dispatcher.destroy();
  await outbound.close();
  await vendor.close();
});

const VECTORS = [
  [0.5, -0.25],
  [1, 2],
];
const base64 = (floats: number[]): string => Buffer.from(new Float32Array(floats).buffer).toString('base64');

/** Answers with the habit that the name of the model numbers, at the path of any row. */
function answer({ path, body }: VendorCall, response: ServerResponse): void {
  if (ROWS.some((row) => `${row.path}/embeddings` === path)) return sendJson(response, 200, vectorsFor(body));
  if (!ROWS.some((row) => `${row.path}/chat/completions` === path)) return sendJson(response, 404, { path });
  const request = JSON.parse(body) as TextRequest;
  const habit = HABITS[Number(request.model)]!;
  const other = habit.answers?.(request);
  if (habit.fails === 'silent') return;
  if (other !== undefined) {
    const text = typeof other.body === 'string' ? other.body : JSON.stringify(other.body);
    const type = text.startsWith('<') ? 'text/html' : 'application/json';
    return void response.writeHead(other.status ?? 200, { 'content-type': type, ...other.headers }).end(text);
  }
  const isStream = request['stream'] === true;
  const text = isStream ? streamOf(habit) : JSON.stringify(wholeOf(habit));
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
  if (habit.fails === 'cut') response.write(text.slice(0, text.indexOf('lo"')), () => response.destroy());
  else response.end(text);
}

/** Returns vectors in the other order, and in another encoding than asked for. */
function vectorsFor(body: string): Fields {
  const { encoding_format: wanted } = JSON.parse(body) as Fields;
  const data = VECTORS.map((floats, index) => ({
    index,
    object: 'embedding',
    embedding: wanted === 'base64' ? floats : base64(floats),
  }));
  return { object: 'list', data: data.toReversed(), usage: { prompt_tokens: '3', total_tokens: 3 } };
}

function streamOf({ events = HELLO, end = 'data: [DONE]\n\n', newline = '\n' }: Habit): string {
  const frame = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const lines = events.map((event) =>
    typeof event === 'string' ? event : `data: ${JSON.stringify({ ...frame, ...event })}\n\n`,
  );
  return (lines.join('') + end).replaceAll('\n', newline);
}

type Choice = { delta?: Fields; message?: Fields; finish_reason?: string | null; usage?: Fields };
type Call = { index?: number; id?: string; function: { arguments: unknown } };

/** Makes the whole answer of which a stream's events are the pieces. */
function wholeOf({ events = HELLO }: Habit): Fields {
  const message: Fields = { role: 'assistant' };
  const calls: Call[] = [];
  const rest: Fields = {};
  let finish: string | null = null;
  for (const event of events.filter((each) => typeof each === 'object')) {
    for (const { delta, message: other, finish_reason: reason, usage } of (event['choices'] ??
      []) as Choice[]) {
      const { content, reasoning_content: thoughts, tool_calls: parts = [] } = (delta ?? other)!;
      if (thoughts !== undefined) message['reasoning_content'] = thoughts;
      if (content !== undefined) message['content'] = joined(message['content'], content);
      for (const part of parts as Call[]) {
        if (part.id !== undefined) calls.push(structuredClone(part));
        else
          calls.find(({ index }) => index === part.index)!.function.arguments += String(
            part.function.arguments,
          );
      }
      finish = reason ?? finish;
      if (usage !== undefined) rest['usage'] = usage;
    }
    if (event['usage'] !== undefined) rest['usage'] = event['usage'];
  }
  for (const call of calls) delete call.index;
  if (calls.length > 0) message['tool_calls'] = calls;
  return {
    id: 'c1',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finish }],
    ...rest,
  };
}

const joined = (before: unknown, more: unknown): unknown =>
  typeof before === 'string' && typeof more === 'string' ? before + more : more;

/** Puts the chunks of a stream together, as clients do. A whole answer is one chunk. */
function seenIn(chunks: readonly ChatChunk[]): Partial<Seen> {
  const seen = { text: '', reasoning: '', calls: [] as string[] };
  const all: Partial<Seen> = seen;
  for (const { choices, usage } of chunks) {
    all.usage = usage ?? all.usage;
    for (const { delta, finish_reason: reason } of choices) {
      seen.text += typeof delta.content === 'string' ? delta.content : '';
      seen.reasoning += typeof delta['reasoning'] === 'string' ? delta['reasoning'] : '';
      for (const [place, each] of (delta.tool_calls ?? []).entries()) {
        const { index = place, function: called } = each as {
          index?: number;
          function: { name?: string; arguments: string };
        };
        seen.calls[index] = `${seen.calls[index] ?? `${index} ${called.name} `}${called.arguments}`;
      }
      all.finish = reason ?? all.finish;
    }
  }
  return all;
}

function providerOf({ slug, adapter, path }: Row): Provider {
  const rows = [{ slug, adapter, baseUrl: `${vendor.origin}${path}` }];
  return createProviders({ rows, credentials: () => ({ apiKey: 'k-1' }), outbound, dispatcher }).get(slug)!;
}

const contextOf = ({ fails }: Partial<Habit> = {}) => ({
  signal: new AbortController().signal,
  requestId: 'req_test',
  timeouts: {
    firstByteMs: FIRST_BYTE_MS[fails === 'silent' ? 'silent' : 'patient'],
    idleMs: 60_000,
    attemptMs: FIRST_BYTE_MS[fails === 'silent' ? 'silent' : 'patient'],
  },
  answer: freeAnswer(true),
});

async function wholeFrom(chat: ChatAdapter, request: TextRequest, habit: Habit): Promise<ChatChunk[]> {
  const { choices, ...facts } = await chat.complete(request, contextOf(habit));
  return [{ ...facts, choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: message })) }];
}

const streamFrom = (chat: ChatAdapter, request: TextRequest, habit: Habit): Promise<ChatChunk[]> =>
  chat.stream(request, contextOf(habit)).then(chunksOf);

describe.each(ROWS)('a vendor such as $slug', (row) => {
  test.each([
    ['base64', VECTORS.map(base64)],
    ['float', VECTORS],
  ])('gives vectors in the order and the encoding that were asked for: %s', async (encoding, expected) => {
    const request = { model: 'm', input: ['a', 'b'], encoding_format: encoding };
    const { data, usage } = await providerOf(row).embeddings!.embed(request, contextOf());
    expect(data.map(({ embedding }) => embedding)).toEqual(expected);
    expect(usage).toMatchObject({ prompt_tokens: 3 });
  });

  test.each(HABITS.map((habit, number) => [habit.title, habit, number] as const))(
    'does no harm by its habits: the gateway %s',
    async (_, habit, number) => {
      const { chat } = providerOf(row);
      const request = {
        model: String(number),
        messages: [{ role: 'user', content: 'Hi' }],
        ...habit.request,
      };
      for (const ask of [wholeFrom, streamFrom]) {
        const before = vendor.calls.length;
        const asked = ask(chat!, request, habit);
        const seen = habit.seen.error === undefined ? seenIn(await asked) : { error: await failureOf(asked) };
        expect(seen).toMatchObject(habit.seen);
        const isStream = ask === streamFrom;
        if (habit.asks !== undefined && isStream)
          expect(vendor.calls.length - before).toBe(habit.asks(row.has));
        const sent = JSON.parse(vendor.calls.at(-1)!.body) as Fields;
        const expected = habit.sent?.(row.has) ?? {};
        expect(Object.fromEntries(Object.keys(expected).map((name) => [name, sent[name]]))).toEqual(expected);
      }
    },
  );
});
