import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addDays, utcDayOf } from '../../domain/utc-day.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
const lastDay = addDays(utcDayOf(new Date()), 10);
const header = new Date(`${addDays(lastDay, 1)}T00:00:00Z`).toUTCString();

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.database.query(
    `update models set facts = facts || jsonb_build_object('expirationDate', $1::text) where id like 'local/%-1'`,
    [lastDay],
  );
  await eventually('the new catalog', async () =>
    (await sunsetOf('/embeddings', EMBED)) ? true : undefined,
  );
});
afterAll(() => gateway.close());

const EMBED = { model: 'local/embed-1', input: 'Hello' };
const messages = [{ role: 'user', content: 'Hello' }];

async function sunsetOf(path: string, body: object): Promise<string | null> {
  const response = await createCaller(gateway.origin, gateway.apiKey).call('POST', path, { body });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return response.headers.get('sunset');
}

describe('an answer of a model in its last 30 days', () => {
  test.each<[path: string, model: string, body: object]>([
    ['/chat/completions', 'local/echo-1', { messages }],
    ['/chat/completions', 'local/echo-1', { messages, stream: true }],
    ['/completions', 'local/echo-1', { prompt: 'Hello' }],
    ['/messages', 'local/echo-1', { messages, max_tokens: 10, stream: true }],
    ['/responses', 'local/echo-1', { input: 'Hello' }],
    ['/embeddings', 'local/embed-1', EMBED],
    ['/rerank', 'local/rerank-1', { query: 'Hello', documents: ['Hello'] }],
    ['/api/v2/rerank', 'local/rerank-1', { query: 'Hello', documents: ['Hello'] }],
    ['/audio/speech', 'local/speech-1', { input: 'Hello' }],
    ['/images', 'local/image-1', { prompt: 'Hello' }],
    ['/images', 'local/image-1', { prompt: 'Hello', stream: true }],
    ['/videos', 'local/clip-1', { prompt: 'Hello' }],
    ['/videos', 'local/clip-1:floor', { prompt: 'Hello' }],
  ])('has the header Sunset in POST %s', async (path, model, body) => {
    expect(await sunsetOf(path, { ...body, model })).toBe(header);
  });

  test('has the sunset of the model that answered, if a fallback did', async () => {
    const models = ['local/echo-1', 'local/chat-canned'];
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500, times: 1 });
    expect(await sunsetOf('/chat/completions', { models, messages })).toBeNull();
    expect(await sunsetOf('/chat/completions', { models, messages })).toBe(header);
  });

  test('has no header for another model', async () => {
    expect(await sunsetOf('/chat/completions', { model: 'local/chat-canned', messages })).toBeNull();
  });
});
