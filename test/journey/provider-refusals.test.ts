import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addUnreachableModel, addUnreachableVideoModel } from '../support/catalog.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

const ask = (path: string, body: object) =>
  createCaller(gateway.origin, gateway.apiKey).call('POST', path, { body });

const messages = [{ role: 'user', content: 'Hello' }];
const EXACT = [
  ['images', '/images', { model: 'local/image-1', prompt: 'A lighthouse', size: '128x128' }],
  ['speech', '/audio/speech', { model: 'local/speech-1', input: 'Hello' }],
  ['rerank', '/rerank', { model: 'local/rerank-1', query: 'a river', documents: ['the river'] }],
] as const;

/** What each status of the provider's becomes, with its words. */
const REFUSALS = [
  [400, undefined, 400, 'Invalid request parameters', 'provider_invalid_request'],
  [413, undefined, 413, 'Request payload too large', 'provider_payload_too_large'],
  [400, 'content_policy_violation', 403, 'Provider returned error', 'provider_content_policy'],
] as const;

describe.each(EXACT)("an upstream's refusal of %s", (on, path, body) => {
  test.each(REFUSALS)('turns %i %s into %i', async (status, code, told, message, reason) => {
    const refusal = { status, message: 'No lighthouses.', ...(code && { code }) };
    gateway.upstream.addFaults({ kind: 'status', on, ...refusal });
    expect(await errorOf(await ask(path, body))).toEqual({
      code: told,
      message,
      metadata: {
        reason,
        retryable: false,
        issues: [{ path: 'body', message: 'was refused by the provider: No lighthouses.' }],
      },
    });
  });
});

test('a stream of pictures that breaks off ends with provider_connection_lost', async () => {
  const body = { model: 'local/image-1', prompt: 'A lighthouse', size: '128x128', stream: true };
  gateway.upstream.addFaults({ kind: 'cut-stream', on: 'images', events: 1 });
  const events = (await (await ask('/images', body)).text()).split('\n\n');
  const error: unknown = JSON.parse(events.at(-3)!.slice('data: '.length));
  expect(error).toMatchObject({
    error: { message: 'Provider returned error', metadata: { reason: 'provider_connection_lost' } },
  });
});

test("a chat too large for the provider gets 413 with the provider's message", async () => {
  gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 413, message: 'Too much.' });
  const error = await errorOf(await ask('/chat/completions', { model: 'local/echo-1', messages }));
  expect([error.code, error.message]).toEqual([413, 'Request payload too large']);
  expect(error.metadata.issues).toEqual([
    { path: 'body', message: 'was refused by the provider: Too much.' },
  ]);
});

describe('a model of the catalog without a credential', () => {
  test.each([
    ['/chat/completions', 'local/echo-1', { messages }],
    ['/rerank', 'local/rerank-1', { query: 'a river', documents: ['the river'] }],
    ['/images', 'local/image-1', { prompt: 'A lighthouse' }],
    ['/audio/speech', 'local/speech-1', { input: 'Hello' }],
    ['/videos', 'local/clip-canned', { prompt: 'A lighthouse' }],
  ])('gets 404 no_credential from %s', async (path, like, body) => {
    const model = `${like.replace('local', 'keyless')}`;
    const keyless = { provider: 'keyless', adapter: 'openai' };
    await (path === '/videos'
      ? addUnreachableVideoModel(gateway, model, keyless)
      : addUnreachableModel(gateway, model, like, keyless));
    const { code, message, metadata } = await eventually('the model', async () => {
      const error = await errorOf(await ask(path, { ...body, model }));
      return error.metadata.reason === 'model_not_found' ? undefined : error;
    });
    const why = `${model} is served by providers that this deployment has no credential of`;
    const said = path === '/chat/completions' ? why : 'Resource not found';
    expect([code, message, metadata.reason]).toEqual([404, said, 'no_credential']);
    expect(metadata.issues).toEqual([{ path: 'body.model', message: why }]);
  });
});
