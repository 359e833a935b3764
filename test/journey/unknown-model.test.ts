import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization } from '../support/accounts.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { addCredential } from '../support/own-resources.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const messages = [{ role: 'user', content: 'Hello' }];
const refusal = async (path: string, body: object, key = gateway.apiKey) =>
  errorOf(await createCaller(gateway.origin, key).call('POST', path, { body }));
const unknown = (name: string) => `${name} is not a model that this deployment can reach.`;

describe('a 404 for an unknown model', () => {
  test.each<[string, object, string, string]>([
    ['/chat/completions', { messages }, 'local/ecko-1', 'local/echo-1'],
    ['/completions', { prompt: 'Hello' }, 'ecko-1', 'local/echo-1'],
    ['/embeddings', { input: 'Hello' }, 'local/embed', 'local/embed-1'],
  ])('names the model and its nearest match in the message of %s', async (path, body, model, nearest) => {
    const message = `${unknown(model)} Did you mean ${nearest}?`;
    expect(await refusal(path, { ...body, model })).toEqual({
      code: 404,
      message,
      metadata: {
        reason: 'model_not_found',
        retryable: false,
        issues: [{ path: 'body.model', message }],
        nearest_models: [nearest],
      },
    });
  });

  test('refers to GET /models when no name is near', async () => {
    const { message, metadata } = await refusal('/chat/completions', { messages, model: 'no/such' });
    expect(metadata.nearest_models).toBeUndefined();
    expect(message).toBe(`${unknown('no/such')} GET /models lists the models.`);
  });

  test('names the unknown one of several models', async () => {
    const { message } = await refusal('/chat/completions', {
      messages,
      models: ['local/echo-1', 'local/ecko-1'],
    });
    expect(message).toBe(`${unknown('local/ecko-1')} Did you mean local/echo-1?`);
  });

  test("keeps the specification's message and names the nearest model in the issues", async () => {
    const { code, message, metadata } = await refusal('/videos', { prompt: 'x', model: 'local/clip1' });
    expect([code, message]).toEqual([404, 'Resource not found']);
    expect(metadata.nearest_models?.[0]).toBe('local/clip-1');
    expect(metadata.issues?.[0]?.message).toMatch(
      /local\/clip1 is not a model .* Did you mean local\/clip-1/,
    );
  });

  test.each([
    ['/models/local/ecko-1/endpoints', 'local/echo-1'],
    ['/models/local/ecko-1', 'local/echo-1'],
    ['/images/models/local/image-2/endpoints', 'local/image-1'],
  ])('names the nearest model in %s', async (path, nearest) => {
    const response = await createCaller(gateway.origin, gateway.apiKey).call('GET', path);
    const { code, message } = await errorOf(response);
    expect([code, message]).toEqual([404, expect.stringContaining(`Did you mean ${nearest}`)]);
  });
});

test('a 404 for an unknown model never suggests a model that only others can reach', async () => {
  await addCredential(gateway, 'sk-owners', { provider_slug: 'openai' });
  const other = await addKey(gateway, await addOrganization(gateway));
  const asked = async (key: string) => [
    (await refusal('/chat/completions', { messages, model: 'gpt-5-minni' }, key)).message,
    (await refusal('/images', { prompt: 'x', model: 'gpt-image-3' }, key)).metadata.issues?.[0]?.message,
  ];
  const ofOwner = await eventually('the owner’s models', async () => {
    const [talk, image] = await asked(gateway.apiKey);
    return talk?.includes('openai/') ? [talk, image] : undefined;
  });
  expect(ofOwner[0]).toContain('Did you mean openai/gpt-5-mini');
  expect(ofOwner[1]).toContain('Did you mean openai/gpt-image-2');
  for (const message of await asked(other.token)) expect(message).not.toContain('openai/');
});

test('a 404 for preferences that no endpoint fits names the model', async () => {
  const body = { messages, model: 'local/echo-1', provider: { only: ['nobody'] } };
  expect((await refusal('/chat/completions', body)).message).toBe(
    'No endpoint of local/echo-1 fits the preferences in provider',
  );
});
