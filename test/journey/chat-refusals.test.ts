import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

const MODEL = 'local/echo-1';
const HELLO = [{ role: 'user', content: 'Hello there' }];
const FILE = [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }];
const SPOKEN = [...HELLO, { role: 'assistant', audio: { id: 'audio_1' } }, ...HELLO];
const options = (own: object) => ({ provider: { options: { local: own } } });

describe('a request for extras that tokens do not pay for', () => {
  test.each<[string, object, string]>([
    ['/chat/completions', { messages: HELLO, store: true }, 'body.store'],
    ['/chat/completions', { messages: HELLO, web_search_options: {} }, 'body.web_search_options'],
    ['/chat/completions', { messages: HELLO, service_tier: 'priority' }, 'body.service_tier'],
    ['/chat/completions', { messages: FILE }, 'body.messages.0.content.0.file.file_id'],
    ['/chat/completions', { messages: SPOKEN }, 'body.messages.1.audio.id'],
    [
      '/chat/completions',
      { messages: HELLO, ...options({ store: true }) },
      'body.provider.options.local.store',
    ],
    [
      '/chat/completions',
      { messages: HELLO, ...options({ service_tier: 'flex' }) },
      'body.provider.options.local.service_tier',
    ],
    ['/messages', { messages: HELLO, max_tokens: 5, service_tier: 'priority' }, 'body.service_tier'],
    ['/responses', { input: 'Hello there', service_tier: 'flex' }, 'body.service_tier'],
  ])('gets a 400 from %s before any upstream request: %j', async (path, body, field) => {
    const before = gateway.upstream.requests('chat').length;
    const answer = await gateway.call('POST', path, { body: { model: MODEL, ...body } });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(field);
    expect(gateway.upstream.requests('chat')).toHaveLength(before);
  });

  test('gets the field named in the issues of the error', async () => {
    const body = { model: MODEL, messages: HELLO, store: true };
    expect(await errorOf(await gateway.call('POST', '/chat/completions', { body }))).toMatchObject({
      code: 400,
      metadata: { issues: [{ path: 'body.store' }] },
    });
  });

  test.each([
    { store: false },
    { service_tier: 'auto' },
    { service_tier: 'default' },
    { service_tier: 'standard' },
  ])('passes with a usual value: %j', async (fields) => {
    const body = { model: MODEL, messages: HELLO, ...fields };
    expect((await gateway.call('POST', '/chat/completions', { body })).status).toBe(200);
  });
});
