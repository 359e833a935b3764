/** Checks chats at Amazon Bedrock through the gateway: signed, in binary frames, with tools, thoughts and bills. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  AWS_KEYS,
  type BedrockCloud,
  type BedrockEvents,
  sendConverse,
  sendFrames,
  startBedrockCloud,
} from '../support/bedrock-cloud.ts';
import { createCaller } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { generationIdOf } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getGeneration } from '../support/generation-reads.ts';

let gateway: Gateway;
let cloud: BedrockCloud;

const MODEL = 'bedrock-test/claude';
const UPSTREAM = 'eu.anthropic.claude-opus-4-5-20251101-v1:0';

beforeAll(async () => {
  cloud = await startBedrockCloud();
  gateway = await startGateway({
    env: { PROVIDER_AWS_API_KEY: JSON.stringify(AWS_KEYS, null, 2), PROVIDER_AWS_BASE_URL: cloud.origin },
  });
  const pricing = {
    prompt: '0.000005',
    completion: '0.000025',
    inputCacheRead: '0.0000005',
    inputCacheWrite: '0.00000625',
    inputCacheWriteHour: '0.00001',
  };
  const endpoint = { provider: 'aws', adapter: 'bedrock', baseUrl: cloud.origin, upstreamModelId: UPSTREAM };
  const supportedParameters = ['tools', 'tool_choice', 'reasoning', 'max_tokens', 'parallel_tool_calls'];
  await addChatModel(gateway, MODEL, [{ ...endpoint, pricing, supportedParameters }]);
});
afterAll(async () => {
  await gateway.close();
  await cloud.close();
});

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Says the weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
    cache_control: { type: 'ephemeral', ttl: '1h' },
  },
];
const TOOL_SPEC = {
  name: 'get_weather',
  description: 'Says the weather of a city',
  inputSchema: { json: { type: 'object', properties: { city: { type: 'string' } } } },
};

const block = (contentBlockIndex: number, delta: object): [string, object] => [
  'contentBlockDelta',
  { contentBlockIndex, delta },
];
const stopped = (contentBlockIndex: number): [string, object] => ['contentBlockStop', { contentBlockIndex }];
const FIRST: BedrockEvents = [
  ['messageStart', { role: 'assistant' }],
  block(0, { reasoningContent: { text: 'They want ' } }),
  block(0, { reasoningContent: { text: 'the weather.' } }),
  block(0, { reasoningContent: { signature: 'c2ln/bmF0dXJl' } }),
  stopped(0),
  block(1, { text: 'I will look — 🗼.' }),
  stopped(1),
  [
    'contentBlockStart',
    { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'tooluse_a-1', name: 'get_weather' } } },
  ],
  block(2, { toolUse: { input: '{"city":' } }),
  block(2, { toolUse: { input: '"Oslo"}' } }),
  stopped(2),
  ['messageStop', { stopReason: 'tool_use' }],
  [
    'metadata',
    {
      usage: {
        inputTokens: 100,
        outputTokens: 40,
        totalTokens: 1_340,
        cacheReadInputTokens: 1_000,
        cacheWriteInputTokens: 200,
        cacheDetails: [{ ttl: '1h', inputTokens: 200 }],
      },
      metrics: { latencyMs: 9 },
    },
  ],
];

interface Chunk {
  choices: { delta: Record<string, unknown>; finish_reason: string | null }[];
  usage?: { cost: number };
}

async function streamed(body: object): Promise<{ chunks: Chunk[]; text: string; answer: Response }> {
  const answer = await gateway.call('POST', '/chat/completions', {
    body: { model: MODEL, stream: true, tools: TOOLS, ...body },
  });
  const text = await answer.text();
  const chunks = text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Chunk);
  return { chunks, text, answer };
}

const deltasOf = (chunks: Chunk[], name: string): unknown[] =>
  chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta[name] ?? []));

describe('a streamed chat of two turns with tools and thoughts', () => {
  const question = { role: 'user', content: 'How is the weather in Oslo?' };
  const system = {
    role: 'system',
    content: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  };

  test('carries a signature and its thoughts, arrives in frames, and has an exact bill', async () => {
    cloud.answer = (_, response) => sendFrames(response, FIRST);
    const first = await streamed({
      messages: [system, question],
      max_tokens: 5_000,
      reasoning: { max_tokens: 2_000 },
    });
    expect(cloud.calls.at(-1)).toEqual({
      model: UPSTREAM,
      operation: 'converse-stream',
      body: {
        system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
        messages: [{ role: 'user', content: [{ text: question.content }] }],
        inferenceConfig: { maxTokens: 5_000 },
        toolConfig: {
          tools: [{ toolSpec: TOOL_SPEC }, { cachePoint: { type: 'default', ttl: '1h' } }],
        },
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
      },
    });
    expect(deltasOf(first.chunks, 'content').join('')).toBe('I will look — 🗼.');
    expect(deltasOf(first.chunks, 'reasoning').join('')).toBe('They want the weather.');
    const pieces = deltasOf(first.chunks, 'tool_calls') as { id?: string; function: { arguments: string } }[];
    expect(pieces.map((piece) => piece.function.arguments).join('')).toBe('{"city":"Oslo"}');
    expect(
      first.chunks.flatMap(({ choices }) => choices.flatMap((choice) => choice.finish_reason ?? [])),
    ).toEqual(['tool_calls']);
    // 100 × 0.000005 + 1,000 × 0.0000005 + 200 × 0.00001 + 40 × 0.000025
    const cost = 0.004;
    expect(first.chunks.at(-1)?.usage).toMatchObject({
      cost,
      prompt_tokens: 1_300,
      completion_tokens: 40,
      prompt_tokens_details: { cached_tokens: 1_000, cache_write_tokens: 200 },
    });
    const caller = createCaller(gateway.origin, gateway.apiKey);
    expect((await getGeneration(caller, generationIdOf(first.answer)))['total_cost']).toBe(cost);

    const details = deltasOf(first.chunks, 'reasoning_details') as Record<string, string | undefined>[];
    const thought = {
      type: 'reasoning.text',
      format: 'anthropic-claude-v1',
      index: 0,
      text: details.map(({ text }) => text ?? '').join(''),
      signature: details.findLast(({ signature }) => signature !== undefined)?.['signature'],
    };
    const called = {
      role: 'assistant',
      content: 'I will look — 🗼.',
      reasoning_details: [thought],
      tool_calls: [
        {
          id: pieces[0]?.id,
          type: 'function',
          function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
        },
      ],
    };
    cloud.answer = (_, response) =>
      sendFrames(response, [
        ['messageStart', { role: 'assistant' }],
        block(0, { text: 'It snows.' }),
        stopped(0),
        ['messageStop', { stopReason: 'end_turn' }],
        ['metadata', { usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 } }],
      ]);
    const result = { role: 'tool', tool_call_id: 'tooluse_a-1', content: 'Snow' };
    const second = await streamed({ messages: [system, question, called, result] });
    expect((cloud.calls.at(-1)!.body['messages'] as unknown[]).slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          {
            reasoningContent: {
              reasoningText: { text: 'They want the weather.', signature: 'c2ln/bmF0dXJl' },
            },
          },
          { text: 'I will look — 🗼.' },
          { toolUse: { toolUseId: 'tooluse_a-1', name: 'get_weather', input: { city: 'Oslo' } } },
        ],
      },
      { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_a-1', content: [{ text: 'Snow' }] } }] },
    ]);
    expect(deltasOf(second.chunks, 'content').join('')).toBe('It snows.');
    // 7 × 0.000005 + 3 × 0.000025
    expect(second.chunks.at(-1)?.usage?.cost).toBe(0.00011);
  });

  test('answers with the same blocks when whole, in Anthropic’s dialect', async () => {
    cloud.answer = (_, response) =>
      sendConverse(response, [
        { reasoningContent: { redactedContent: 'cmVkYWN0ZWQ=' } },
        { toolUse: { toolUseId: 'tooluse_b', name: 'get_weather', input: { city: 'Rome' } } },
      ]);
    const body = {
      model: MODEL,
      max_tokens: 50,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ name: 'get_weather', input_schema: {} }],
    };
    const answer = await gateway.call('POST', '/messages', { body });
    expect(await answer.json()).toMatchObject({
      content: [
        { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
        { type: 'tool_use', id: 'tooluse_b', input: { city: 'Rome' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, output_tokens: 1 },
    });
  });
});
