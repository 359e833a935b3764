import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI, { AzureOpenAI } from 'openai';
import { chunksOf } from '../text-adapter-under-test.ts';
import { soundOf } from '../speech-adapter-under-test.ts';
import {
  AZURE_KEY,
  newContext,
  type RecordingServer,
  setUpAdapters,
  startRecordingServer,
} from '../connected-adapters.ts';

const VERSION = '2024-10-21';
const CHAT = { model: 'our-gpt', messages: [{ role: 'user' as const, content: 'Good evening 🌇' }] };
const STREAMED = { ...CHAT, stream: true as const, stream_options: { include_usage: true } };
const EMBEDDINGS = { model: 'our-vectors', input: ['a', 'b'], encoding_format: 'float' as const };
const SPEECH = { model: 'our-voice', input: 'Good evening', voice: 'alloy', response_format: 'mp3' as const };

const COMPLETION = { id: 'x', choices: [{ message: { role: 'assistant', content: 'y' } }] };
const VECTORS = { data: [{ embedding: [1] }, { embedding: [2] }] };
const EVENTS =
  'data: {"choices":[{"index":0,"delta":{"content":"y"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

async function exhaust(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream) continue;
}

describe('requests to Azure', () => {
  const connect = setUpAdapters('azure');
  let resource: RecordingServer;

  beforeAll(async () => {
    resource = await startRecordingServer(({ url = '' }, response) => {
      if (isStreamed()) {
        response.setHeader('content-type', 'text/event-stream').end(EVENTS);
      } else if (url.includes('/audio/')) {
        response.setHeader('content-type', 'audio/mpeg').end('sound');
      } else {
        const answer = url.includes('/embeddings') ? VECTORS : COMPLETION;
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      }
    });
  });
  afterAll(() => resource.close());

  const isStreamed = () => JSON.stringify(resource.requests.at(-1)).includes('"stream":true');

  /** What the last request said, without what differs between any two clients. */
  function lastRequest() {
    const { method, url, headers, body } = resource.requests.at(-1)!;
    const { 'api-key': key, authorization, 'content-type': type } = headers;
    return { method, url, body, key, authorization, type };
  }

  /** The requests that the client of the `openai` package makes, and those of the adapter. */
  async function bothAsk(client: OpenAI, apiVersion?: string) {
    const ours = connect({ baseUrl: resource.origin, apiKey: AZURE_KEY, apiVersion });
    const speak = {
      model: 'our-voice',
      input: 'Good evening',
      voice: 'alloy',
      format: 'mp3' as const,
      references: [],
    };
    const pairs: [theirs: () => Promise<unknown>, ours: () => Promise<unknown>][] = [
      [() => client.chat.completions.create(CHAT), () => ours.chat.complete(CHAT, newContext())],
      [
        async () => exhaust(await client.chat.completions.create(STREAMED)),
        async () => chunksOf(await ours.chat.stream(CHAT, newContext())),
      ],
      [() => client.embeddings.create(EMBEDDINGS), () => ours.embeddings.embed(EMBEDDINGS, newContext())],
      [
        async () => (await client.audio.speech.create(SPEECH)).arrayBuffer(),
        async () => soundOf(await ours.speech.speak(speak, newContext())),
      ],
    ];
    const asked = { theirs: [] as unknown[], ours: [] as unknown[] };
    for (const [askTheirs, askOurs] of pairs) {
      await askTheirs();
      asked.theirs.push(lastRequest());
      await askOurs();
      asked.ours.push(lastRequest());
    }
    return asked;
  }

  test('equal those of the openai package with an API version', async () => {
    const client = new AzureOpenAI({ endpoint: resource.origin, apiKey: AZURE_KEY, apiVersion: VERSION });
    const { theirs, ours } = await bothAsk(client, VERSION);
    expect(ours).toEqual(theirs);
    expect(ours[0]).toEqual({
      method: 'POST',
      url: `/openai/deployments/our-gpt/chat/completions?api-version=${VERSION}`,
      body: CHAT,
      key: AZURE_KEY,
      authorization: undefined,
      type: 'application/json',
    });
  });

  test('equal those of the openai package at /openai/v1 without a version', async () => {
    const defaultHeaders = { 'api-key': AZURE_KEY, authorization: null };
    const baseURL = `${resource.origin}/openai/v1`;
    const { theirs, ours } = await bothAsk(new OpenAI({ baseURL, apiKey: AZURE_KEY, defaultHeaders }));
    expect(ours).toEqual(theirs);
    expect(ours[1]).toMatchObject({
      url: '/openai/v1/chat/completions',
      body: STREAMED,
      key: AZURE_KEY,
      authorization: undefined,
    });
  });

  test.each(['', '/', '//', '/openai', '/openai/', '/openai/v1', '/openai/v1/'])(
    'go to the same paths when the address ends in "%s"',
    async (end) => {
      const baseUrl = resource.origin + end;
      await connect({ baseUrl, apiKey: AZURE_KEY }).chat.complete(CHAT, newContext());
      expect(lastRequest().url).toBe('/openai/v1/chat/completions');
      await connect({ baseUrl, apiKey: AZURE_KEY, apiVersion: VERSION }).chat.complete(CHAT, newContext());
      expect(lastRequest().url).toBe(`/openai/deployments/our-gpt/chat/completions?api-version=${VERSION}`);
    },
  );

  test('keep a path in front of /openai/v1', async () => {
    const baseUrl = `${resource.origin}/team/openai/v1/`;
    await connect({ baseUrl, apiKey: AZURE_KEY }).chat.complete(CHAT, newContext());
    expect(lastRequest().url).toBe('/team/openai/v1/chat/completions');
  });

  test("encode the deployment's name, which cannot lead to another path", async () => {
    const { chat } = connect({ baseUrl: resource.origin, apiKey: AZURE_KEY, apiVersion: 'a&b' });
    await chat.complete({ ...CHAT, model: '../x?y=1#z' }, newContext());
    expect(lastRequest().url).toBe(
      '/openai/deployments/..%2Fx%3Fy%3D1%23z/chat/completions?api-version=a%26b',
    );
  });
});
