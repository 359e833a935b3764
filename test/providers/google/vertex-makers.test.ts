/** Checks Claude, open models and embeddings on Vertex AI, by stand-ins of their wires. */
import { describe, expect, test } from '@jest/globals';
import { bundledCatalogs } from '../../../providers/catalog-file.ts';
import { providerFor } from '../../../providers/provider.ts';
import { startLoopbackServer } from '../../platform/loopback-server.ts';
import { describeChatAnswers } from '../chat-answers.ts';
import { describeChatStreams } from '../chat-streams.ts';
import { describeMessagesAdapter } from '../messages-promises.ts';
import { setUpProvider } from '../provider-under-test.ts';
import {
  failureOf,
  LOCAL_UPSTREAM,
  setUpTextAdapter,
  wordsOf,
  chunksOf,
} from '../text-adapter-under-test.ts';
import { describeTextConnections } from '../text-connections.ts';
import { describeTextFailures } from '../text-failures.ts';
import { startVertexUpstream } from './upstream.ts';

const CLAUDE = 'claude-haiku-4-5@20251001';
const VERSION = { anthropic_version: 'vertex-2023-10-16' };

describe('Claude on Vertex AI', () => {
  const claude = describeMessagesAdapter('google-vertex', {
    start: () => startVertexUpstream(CLAUDE),
    toWire(request) {
      const { model: _, ...body } = request;
      return { ...body, ...VERSION };
    },
  });
  const sent = () => claude.client.upstream.requests('messages').at(-1)!;

  test('receives requests at the address of its model, for a whole answer and for a stream', async () => {
    const place = '/v1beta1/projects/our-project/locations/europe-west4/publishers/anthropic/models';
    await claude.create();
    expect(sent().path).toBe(`${place}/${CLAUDE}:rawPredict`);
    await claude.stream();
    expect(sent().path).toBe(`${place}/${CLAUDE}:streamRawPredict`);
    expect(sent().fields).toMatchObject({ ...VERSION, stream: true });
  });

  test('gets max_tokens, and betas outside of the body', async () => {
    await claude.create('x', { max_tokens: undefined, betas: ['one-2026-01-01'] });
    expect(sent().fields).toMatchObject({ max_tokens: 32_000 });
    expect(sent().fields).not.toHaveProperty('betas');
  });

  test('gets tools without the strictness that Vertex AI refuses', async () => {
    const tool = { name: 'get_weather', input_schema: { type: 'object', properties: {} } };
    await claude.create('x', { tools: [{ ...tool, strict: true }] });
    expect(sent().fields).toMatchObject({ tools: [tool] });
  });
});

describe('the catalog', () => {
  const vertex = setUpProvider('google-vertex', () => startVertexUpstream('any'));
  const shipped = bundledCatalogs()
    .flatMap(({ liveEndpoints }) => liveEndpoints)
    .filter(
      ({ providerSlug, capability }) =>
        providerSlug === 'google-vertex' && ['chat', 'embeddings'].includes(capability),
    );

  test.each(shipped)(
    'has $id, which the cloud serves by this name',
    async ({ capability, upstreamModelId }) => {
      const { chat, embeddings } = providerFor(vertex.provider(), upstreamModelId);
      const [request, context] = [{ model: upstreamModelId }, vertex.newContext()];
      if (capability === 'embeddings') {
        expect((await embeddings!.embed({ ...request, input: 'Hi' }, context)).data).toHaveLength(1);
        return;
      }
      const messages = [{ role: 'user', content: 'Hi' }];
      const { model, choices } = await chat!.complete({ ...request, messages }, context);
      expect([model, choices[0]?.message.content]).toEqual([upstreamModelId, 'You said: Hi']);
      expect(wordsOf(await chunksOf(await chat!.stream({ ...request, messages }, context)))).toBe(
        'You said: Hi',
      );
    },
  );

  test('offers Claude with marks for caching and with a limit on its answers', () => {
    const { chat } = providerFor(vertex.provider(), CLAUDE);
    expect(chat).toMatchObject({ cacheControl: true, defaultMaxTokens: 32_000 });
  });

  test('lists models of Google, Anthropic and open ones', () => {
    const makers = new Set(shipped.map(({ modelId }) => modelId.split('/')[0]));
    expect(makers).toEqual(new Set(['anthropic', 'google', 'openai', 'z-ai']));
  });
});

describe('open models on Vertex AI', () => {
  const open = setUpTextAdapter('google-vertex', {
    ...LOCAL_UPSTREAM,
    start: () => startVertexUpstream('openai/gpt-oss-120b-maas'),
  });
  describeChatAnswers(open);
  describeChatStreams(open);
  describeTextFailures(open);
  describeTextConnections(open);
});

describe('embeddings on Vertex AI', () => {
  const vertex = setUpProvider('google-vertex', () => startVertexUpstream('gemini-embedding-2'));
  const embed = (model: string, input: unknown, more: object = {}) =>
    vertex.provider().embeddings!.embed({ model, input, ...more }, vertex.newContext());
  const last = () => vertex.client.upstream.requests('chat').at(-1)!;

  const [task, size] = ['RETRIEVAL_QUERY', { outputDimensionality: 4 }];
  const content = { parts: [{ text: 'x' }] };
  const instances = [{ content: 'x', task_type: task }];
  test.each([
    ['gemini-embedding-2', 'embedContent', { content, embedContentConfig: { taskType: task, ...size } }],
    ['gemini-embedding-001', 'predict', { instances, parameters: size }],
  ])('use %s and %s, once for each text', async (model, method, body) => {
    const before = vertex.client.upstream.requests('chat').length;
    const texts = ['xxxxx', 'xxxx', 'xxx', 'xx', 'x'];
    const { data, usage } = await embed(model, texts, { dimensions: 4 });
    expect(data.map(({ index, embedding }) => [index, embedding[0], embedding.length])).toEqual(
      texts.map((text, index) => [index, text.length, 4]),
    );
    expect(usage).toMatchObject({ prompt_tokens: 15, total_tokens: 15 });
    expect(vertex.client.upstream.requests('chat').length - before).toBe(5);
    await embed(model, 'x', { dimensions: 4, input_type: 'query' });
    const path = expect.stringContaining(`/models/${model}:${method}`);
    expect(last()).toMatchObject({ path, fields: body });
  });

  const embedding = { values: [1] };
  test.each([
    ['a count', { embedding, usageMetadata: { promptTokenCount: 7 } }, 7],
    ['a count as text', { embedding, usageMetadata: { promptTokenCount: '7' } }, 7],
    ['a broken count', { embedding, usageMetadata: { promptTokenCount: -1 } }, null],
    ['no count', { embedding }, null],
  ])('have the usage of an answer with %s', async (_, answer, usage) => {
    const embeddings = await answeredWith(answer);
    expect(embeddings.usage?.prompt_tokens ?? null).toBe(usage);
  });

  test('fail as invalid_response without a vector', async () => {
    expect(await failureOf(answeredWith({}))).toMatchObject({ code: 'invalid_response' });
  });

  async function answeredWith(answer: object) {
    const server = await startLoopbackServer((_, response) => response.end(JSON.stringify(answer)));
    const { embeddings } = vertex.provider(`${server.origin}/v1`);
    const asked = { model: 'gemini-embedding-2', input: 'x' };
    return embeddings!.embed(asked, vertex.newContext()).finally(() => server.close());
  }
});
