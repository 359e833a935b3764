import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import OpenAI from 'openai';
import { type EgressScene, startEgressScene } from '../support/egress-scene.ts';

let scene: EgressScene;
let client: OpenAI;

beforeAll(async () => {
  scene = await startEgressScene();
  client = new OpenAI({
    apiKey: '{{secret:key}}',
    baseURL: `${scene.gateway.origin}/api/v1/interns/${scene.intern.id}/egress/https/${scene.host.at()}/v1`,
    defaultHeaders: { 'Sluice-Authorization': `Bearer ${scene.key.token}` },
    maxRetries: 0,
  });
});
afterAll(() => scene.close());

const messages = [{ role: 'user' as const, content: 'Hello there' }];

function chunkOf(content: string): string {
  const chunk = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

test("OpenAI's client completes a chat with a key that it does not have", async () => {
  scene.host.answer(({ headers, body }, response) => {
    const { model } = JSON.parse(body.toString()) as { model: string };
    const content = `${model} for ${headers['authorization']}`;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content } }] }));
  });
  const answer = await client.chat.completions.create({ model: 'm', messages });
  expect(answer.choices[0]?.message.content).toBe('m for Bearer {{secret:key}}');
  expect(scene.host.requests.at(-1)).toMatchObject({
    method: 'POST',
    url: '/v1/chat/completions',
    headers: { authorization: `Bearer ${scene.value}` },
  });
});

test("OpenAI's client receives each event of a stream before the host sends the next", async () => {
  const words = ['one', 'two', 'three'];
  const seen = words.map(() => Promise.withResolvers<void>());
  scene.host.answer(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [n, word] of words.entries()) {
      response.write(chunkOf(word));
      await seen[n]!.promise;
    }
    response.end('data: [DONE]\n\n');
  });
  const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
  const received: string[] = [];
  for await (const chunk of stream) {
    received.push(chunk.choices[0]?.delta.content ?? '');
    seen[received.length - 1]!.resolve();
    await nextTurn();
  }
  expect(received).toEqual(words);
});

test("OpenAI's client throws PermissionDeniedError for a refusal by the gateway", async () => {
  const other = client.withOptions({ apiKey: '{{secret:unknown}}' });
  const refused = other.chat.completions.create({ model: 'm', messages });
  await expect(refused).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
});
