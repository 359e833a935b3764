/** Holds conversations with Gemini through the gateway, against a stand-in that refuses what Google refuses. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChatCompletionChunkBody } from '../../contract/live/chat-completion.ts';
import { errorOf } from '../support/caller.ts';
import { askChat, completed, generationIdOf, ledgerRow, readEvents, textOf } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  type GoogleUpstream,
  startGeminiUpstream,
  startVertexUpstream,
  type VertexUpstream,
} from '../providers/google/upstream.ts';
import { UPSTREAM_KEY } from '../providers/upstream-client.ts';

const MODEL = 'google/gemini-3.1-flash-lite';
/** 500 tokens of text, 500 cached and 200 of sound in, and 100 out, at 0.25, 0.025, 0.5 and 1.5 dollars a million. */
const COST_NANOS = '387500';

let gateway: Gateway;
let google: GoogleUpstream;
let vertex: VertexUpstream;

beforeAll(async () => {
  [google, vertex] = await Promise.all([startGeminiUpstream(), startVertexUpstream()]);
  gateway = await startGateway({
    env: {
      PROVIDER_GOOGLE_API_KEY: UPSTREAM_KEY,
      PROVIDER_GOOGLE_BASE_URL: google.baseUrl,
      PROVIDER_GOOGLE_VERTEX_API_KEY: vertex.tokens.serviceAccount(),
      PROVIDER_GOOGLE_VERTEX_BASE_URL: vertex.baseUrl,
    },
  });
});
afterEach(() => {
  google.answerParts(undefined);
  google.answerWith({});
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([google.upstream.close(), vertex.upstream.close()]);
});

const tool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
});
const TOOLS = [tool('get_weather'), tool('get_time')];
const QUESTION = { role: 'user', content: 'Call get_weather and get_time for Oslo.' };

/** Any JSON, of which a test reads what it needs. */
type Json = ReturnType<typeof JSON.parse>;
type Call = { id: string; type: string; function: { name: string; arguments: string } };

/** Adds up a stream as clients of OpenRouter do, to the message that they send in the next turn. */
function messageOf(chunks: ChatCompletionChunkBody[]) {
  const deltas = chunks.flatMap(({ choices }) =>
    choices.map(({ delta }) => delta as Record<string, unknown>),
  );
  return {
    role: 'assistant',
    content: textOf(chunks),
    tool_calls: deltas.flatMap(({ tool_calls: calls }) => (calls ?? []) as Call[]),
    reasoning_details: deltas.flatMap(({ reasoning_details: details }) => (details ?? []) as object[]),
  };
}

test('a streamed conversation with tools and thoughts returns signatures and is billed exactly', async () => {
  const first = await askChat(gateway, { model: MODEL, stream: true, tools: TOOLS, messages: [QUESTION] });
  const firstId = generationIdOf(first);
  const message = messageOf(await readEvents(first));
  const [weather, time] = message.tool_calls;
  expect(message).toEqual({
    role: 'assistant',
    content: '',
    tool_calls: [
      {
        index: 0,
        id: 'g0',
        type: 'function',
        function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      },
      { index: 1, id: 'g1', type: 'function', function: { name: 'get_time', arguments: '{"city":"Oslo"}' } },
    ],
    reasoning_details: [
      { type: 'reasoning.text', text: 'I must look.', format: 'google-gemini-v1', index: 0 },
      {
        type: 'reasoning.encrypted',
        id: 'g0',
        data: expect.any(String),
        format: 'google-gemini-v1',
        index: 1,
      },
    ],
  });
  const results = [
    { role: 'tool', tool_call_id: weather!.id, content: '{"degrees":-3}' },
    { role: 'tool', tool_call_id: time!.id, content: 'noon' },
  ];
  const messages = [QUESTION, message, ...results];
  const second = await askChat(gateway, { model: MODEL, stream: true, tools: TOOLS, messages });
  const secondId = generationIdOf(second);
  const chunks = await readEvents(second);
  expect(messageOf(chunks).content).toBe('The tool said: [{"degrees":-3},{"result":"noon"}]');
  expect(chunks.at(-1)?.usage).toMatchObject({
    prompt_tokens: 1200,
    completion_tokens: 100,
    cost: Number(COST_NANOS) / 1e9,
    prompt_tokens_details: { cached_tokens: 500, audio_tokens: 200 },
    completion_tokens_details: { reasoning_tokens: 70 },
  });
  for (const [id, reason] of [
    [firstId, 'tool_calls'],
    [secondId, 'stop'],
  ] as const) {
    expect(await ledgerRow(gateway, id)).toMatchObject({
      cost_nanos: COST_NANOS,
      tokens_prompt: 1200,
      tokens_completion: 100,
      finish_reason: reason,
      provider: 'google',
    });
  }
});

test('Vertex AI serves what the Gemini API cannot, at its own price', async () => {
  google.upstream.addFaults({ kind: 'status', on: 'chat', status: 503 });
  const order = { order: ['google', 'google-vertex'] };
  const answer = await completed(await askChat(gateway, { model: MODEL, provider: order }));
  const row = await ledgerRow(gateway, answer.id);
  expect(row).toMatchObject({ provider: 'google-vertex', cost_nanos: COST_NANOS });
  expect(row.provider_responses.map(({ status }) => status)).toEqual([503, 200]);
  expect(JSON.stringify(row)).not.toMatch(/PRIVATE KEY|sk-local/);
});

test('a conversation that another model began continues without its signatures', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '{}' } };
  const thoughts = {
    reasoning_details: [{ type: 'reasoning.text', text: 'Hm', format: 'anthropic-claude-v1' }],
  };
  const messages = [
    QUESTION,
    { role: 'assistant', content: null, tool_calls: [call], ...thoughts },
    { role: 'tool', tool_call_id: 'call_1', content: 'noon' },
  ];
  const response = await askChat(gateway, { model: MODEL, tools: TOOLS, messages });
  expect(response.headers.get('sluice-dropped-fields')).toBe('messages.reasoning_details');
  expect((await completed(response)).choices[0]?.message.content).toBe('The tool said: [{"result":"noon"}]');
});

test('signatures return in the dialect of Claude Code and in that of Codex, too', async () => {
  const signed = () => google.accepted.at(-1)!.contents[1]!.parts.find((part) => 'functionCall' in part);
  const unknown = 'skip_thought_signature_validator';
  const ask = async (path: string, body: object): Promise<Json> => {
    const response = await gateway.call('POST', path, { body: { model: MODEL, ...body } });
    expect([path, response.status]).toEqual([path, 200]);
    return response.json() as Promise<Json>;
  };
  const tools = [{ name: 'get_time', input_schema: { type: 'object' } }];
  const asked = { role: 'user', content: 'Call get_time.' };
  const { content } = await ask('/messages', { max_tokens: 99, tools, messages: [asked] });
  const result = { type: 'tool_result', tool_use_id: content.at(-1).id, content: 'noon' };
  const turns = [asked, { role: 'assistant', content }, { role: 'user', content: [result] }];
  await ask('/messages', { max_tokens: 99, tools, messages: turns });
  expect(signed()).toMatchObject({ thoughtSignature: expect.not.stringContaining(unknown) });

  const streamed = { model: MODEL, max_tokens: 99, tools, messages: [asked], stream: true };
  const events = await (await gateway.call('POST', '/messages', { body: streamed })).text();
  expect(events).toContain(content.find((block: Json) => block.type === 'redacted_thinking').data);

  const functions = [{ type: 'function', name: 'get_time', parameters: { type: 'object' } }];
  const { output } = await ask('/responses', { tools: functions, input: [asked] });
  const done = { type: 'function_call_output', call_id: output.at(-1).call_id, output: 'noon' };
  await ask('/responses', { tools: functions, input: [asked, ...output, done] });
  expect(signed()).toMatchObject({ thoughtSignature: expect.not.stringContaining(unknown) });
});

test('a prompt of texts, pictures, sound, a video and a file is answered as JSON by a schema', async () => {
  const data = 'AAAA';
  const content = [
    { type: 'text', text: 'Describe' },
    { type: 'image_url', image_url: { url: `data:image/jpg;base64,${data}` } },
    { type: 'input_audio', input_audio: { data, format: 'wav' } },
    { type: 'video_url', video_url: { url: `data:video/mp4;base64,${data}` } },
    { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` } },
  ];
  const schema = { type: 'object', properties: { echo: { type: 'string' } }, required: ['echo'] };
  const answer = await completed(
    await askChat(gateway, {
      model: MODEL,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'echo', strict: true, schema } },
    }),
  );
  expect(answer.choices[0]?.message.content).toBe('{"echo":"Describe"}');
  const media = ['image/jpeg', 'audio/wav', 'video/mp4', 'application/pdf'];
  expect(google.accepted.at(-1)).toMatchObject({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      {
        role: 'user',
        parts: [{ text: 'Describe' }, ...media.map((mimeType) => ({ inlineData: { mimeType, data } }))],
      },
    ],
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
  });
});

describe('content that Google refuses', () => {
  const blocked = { answer: { candidates: [], promptFeedback: { blockReason: 'SAFETY' } } };

  test.each([false, true])('fails as content_policy when it is the prompt, streamed: %s', async (stream) => {
    google.answerParts([{ text: '' }]);
    google.answerWith(blocked);
    const response = await askChat(gateway, { model: MODEL, stream });
    const { metadata } = await errorOf(response);
    expect(metadata).toMatchObject({ reason: 'provider_content_policy', retryable: false });
  });

  test('ends an answer as content_filter, and the answer is billed', async () => {
    google.answerWith({ candidate: { finishReason: 'PROHIBITED_CONTENT' } });
    const answer = await completed(await askChat(gateway, { model: MODEL }));
    expect(answer.choices).toMatchObject([
      { finish_reason: 'content_filter', native_finish_reason: 'PROHIBITED_CONTENT' },
    ]);
    expect(await ledgerRow(gateway, answer.id)).toMatchObject({ cost_nanos: COST_NANOS });
  });
});

describe('other operations', () => {
  const call = async (path: string, body: object) => {
    const response = await gateway.call('POST', path, { body });
    expect([path, response.status]).toEqual([path, 200]);
    const bytes = Buffer.from(await response.arrayBuffer());
    return { bytes, row: await ledgerRow(gateway, generationIdOf(response)) };
  };

  test('charges embeddings and pictures by the counts of Google', async () => {
    const { row } = await call('/embeddings', { model: 'google/gemini-embedding-2', input: 'Hello' });
    // 5 tokens at 0.2 dollars a million.
    expect(row).toMatchObject({ cost_nanos: '1000', tokens_prompt: 5 });
    const model = 'google/gemini-nano-banana-2.1';
    const picture = await call('/images', {
      model,
      prompt: 'A boat',
      aspect_ratio: '16:9',
      resolution: '2K',
    });
    expect(JSON.parse(picture.bytes.toString())).toMatchObject({ data: [{ b64_json: expect.any(String) }] });
    // 1,200 tokens in at 1.5, 30 of the picture at 30, and 70 of thoughts at 7.5 dollars a million.
    expect(picture.row).toMatchObject({ cost_nanos: '3225000' });
  });

  test('charges speech by its seconds', async () => {
    const body = {
      model: 'google/gemini-3.8-flash-lite-tts',
      input: 'Hello',
      voice: 'Kore',
      response_format: 'pcm',
    };
    const { bytes, row } = await call('/audio/speech', body);
    expect([bytes.length, row.tokens_completion]).toEqual([96_000, 50]);
    expect(BigInt(row.cost_nanos)).toBeGreaterThan(0n);
  });
});
