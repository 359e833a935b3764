import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askResponse } from '../support/responses.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

describe('an invalid request to POST /responses', () => {
  const file = { type: 'input_file', file_id: 'file-1' };
  test.each<[string, object, string]>([
    ['to be kept', { store: true }, 'body.store'],
    ['for a search of the web in the words of a chat', { web_search_options: {} }, 'body.web_search_options'],
    ['to go on from another', { previous_response_id: 'resp_1' }, 'body.previous_response_id'],
    ['to go on in a kept conversation', { conversation: 'conv_1' }, 'body.conversation'],
    ['to be made in the background', { background: true }, 'body.background'],
    ['with a kept prompt', { prompt: { id: 'pmpt_1' } }, 'body.prompt'],
    [
      'with a search of the web as an option',
      { provider: { options: { openai: { tools: [{ type: 'web_search' }] } } } },
      'body.provider.options.openai.tools.0.type',
    ],
    [
      'to go on from another as an option',
      { provider: { options: { openai: { previous_response_id: 'resp_1' } } } },
      'body.provider.options.openai.previous_response_id',
    ],
    ['with an item that is kept', { input: [{ type: 'item_reference', id: 'x' }] }, 'body.input.0.type'],
    [
      'with a file that is kept',
      { input: [{ role: 'user', content: [file] }] },
      'body.input.0.content.0.file_id',
    ],
    ['with a role nobody has', { input: [{ role: 'king', content: 'x' }] }, 'body.input.0.role'],
    [
      'with a call without a name',
      { input: [{ type: 'function_call', call_id: '1', arguments: '' }] },
      'body.input.0.name',
    ],
    ['without input', { input: undefined }, 'body.input'],
    ['with an empty input', { input: [] }, 'body.input'],
    ['with a plugin', { plugins: [{ id: 'web' }] }, 'body.plugins.0.id'],
    ['that this provider cannot be told', { truncation: 'auto' }, 'body.truncation'],
  ])('gets 400 that names the field, without an upstream call: %s', async (_what, body, path) => {
    const calls = gateway.upstream.requests('chat').length;
    const error = await errorOf(await askResponse(gateway, body));
    expect(error).toMatchObject({ code: 400, metadata: { reason: 'invalid_request' } });
    expect(error.metadata.issues!.map((issue) => issue.path)).toEqual([path]);
    expect(gateway.upstream.requests('chat')).toHaveLength(calls);
  });

  test('gets 400 for an item_reference, and advice to use store: false', async () => {
    const error = await errorOf(await askResponse(gateway, { input: [{ type: 'item_reference', id: 'x' }] }));
    expect(error.metadata.issues).toMatchObject([{ message: expect.stringContaining('store: false') }]);
  });

  test.each([
    ['an unknown model', { model: 'no/such' }, 'model_not_found'],
    ['a model for something else', { model: 'local/embed-1' }, 'model_not_found'],
    ['an unknown preset', { model: '@preset/none' }, 'preset_not_found'],
    ['preferences that no endpoint fits', { provider: { only: ['nobody'] } }, 'no_matching_endpoint'],
  ])('gets 404 for %s', async (_what, body, reason) => {
    expect(await errorOf(await askResponse(gateway, body))).toMatchObject({
      code: 404,
      metadata: { reason },
    });
  });

  test('gets 404 under require_parameters if no endpoint supports a field', async () => {
    const provider = { require_parameters: true };
    expect((await askResponse(gateway, { provider, max_output_tokens: 5, store: false })).status).toBe(200);
    expect((await askResponse(gateway, { provider, image_config: { a: 1 } })).status).toBe(404);
  });

  test('gets 400 for a field of its preset', async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const body = {
      model: 'local/echo-1',
      previous_response_id: 'resp_1',
      messages: [{ role: 'user', content: 'x' }],
    };
    expect((await manager.call('POST', '/presets/kept/chat/completions', { body })).status).toBe(200);
    const error = await errorOf(await askResponse(gateway, { model: '@preset/kept' }));
    expect(error.metadata.issues).toMatchObject([{ path: 'body.previous_response_id' }]);
  });
});
