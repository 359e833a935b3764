import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

interface Refusal {
  message: string;
  metadata: { reason: string; issues: { path: string; message: string }[] };
}

async function refusalOf(path: string, body: object): Promise<Refusal & { status: number }> {
  const response = await createCaller(gateway.origin, gateway.apiKey).call('POST', path, { body });
  const { error } = (await response.json()) as { error: Refusal };
  return { ...error, status: response.status };
}

const messages = [{ role: 'user', content: 'Hello' }];

describe('a request for a model of another kind', () => {
  test.each<[string, string, object]>([
    ['a chat', '/chat/completions', { messages }],
    ['a message', '/messages', { messages, max_tokens: 5 }],
    ['a response', '/responses', { input: 'Hello' }],
    ['a completion', '/completions', { prompt: 'Hello' }],
  ])("gets 404 from %s, whose message names the model's own operation", async (_what, path, body) => {
    for (const [model, said] of [
      ['local/image-1', 'makes images: use POST /images'],
      ['local/speech-1', 'says a text: use POST /audio/speech'],
      ['local/clip-1', 'makes videos: use POST /videos'],
      ['local/embed-1', 'makes embeddings: use POST /embeddings'],
      ['local/rerank-1', 'sorts documents: use POST /rerank'],
      // No credential for it is there.
      ['openai/gpt-image-2', 'makes images: use POST /images'],
    ] as const) {
      expect(await refusalOf(path, { ...body, model })).toMatchObject({
        status: 404,
        message: `${model} ${said}`,
        metadata: {
          reason: 'model_not_found',
          issues: [{ path: 'body.model', message: `${model} ${said}` }],
        },
      });
    }
  });

  test.each<[string, object]>([
    ['/images', { prompt: 'x' }],
    ['/audio/speech', { input: 'x' }],
    ['/videos', { prompt: 'x' }],
    ['/rerank', { query: 'x', documents: ['x'] }],
  ])("gets 404 from %s, whose issues name the model's own operation", async (path, body) => {
    const message = 'local/echo-1 is a chat model: use POST /chat/completions';
    expect(await refusalOf(path, { ...body, model: 'local/echo-1' })).toMatchObject({
      status: 404,
      message: 'Resource not found',
      metadata: { reason: 'model_not_found', issues: [{ path: 'body.model', message }] },
    });
  });
});
