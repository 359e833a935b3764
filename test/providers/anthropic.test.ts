import { describe, expect, test } from '@jest/globals';
import type { IncomingHttpHeaders } from 'node:http';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { describeMessagesAdapter } from './messages-promises.ts';
import { UPSTREAM_KEY } from './upstream-client.ts';

const adapter = describeMessagesAdapter('anthropic');

describe('the wire of Anthropic', () => {
  /** What a request arrives with. */
  async function sent(more: object): Promise<{ headers: IncomingHttpHeaders; url: string | undefined }> {
    let seen: { headers: IncomingHttpHeaders; url: string | undefined } | undefined;
    const vendor = await startLoopbackServer(({ headers, url }, response) => {
      seen = { headers, url };
      response.end(JSON.stringify({ content: [], stop_reason: 'end_turn' }));
    });
    try {
      const messages = adapter.messages(`${vendor.origin}/v1`);
      await messages.create(adapter.newRequest('x', more), adapter.newContext());
      return seen!;
    } finally {
      await vendor.close();
    }
  }

  test('sends key and version in headers of their own', async () => {
    const { headers, url } = await sent({});
    expect(url).toBe('/v1/messages');
    expect(headers).toMatchObject({ 'x-api-key': UPSTREAM_KEY, 'anthropic-version': '2023-06-01' });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('anthropic-beta');
  });

  test('sends requested betas in a header and not in the body', async () => {
    const { headers } = await sent({ betas: ['one-2026-01-01', 'two-2026-02-02'] });
    expect(headers['anthropic-beta']).toBe('one-2026-01-01,two-2026-02-02');
    await adapter.create('x', { betas: ['one-2026-01-01'] });
    expect(adapter.client.upstream.requests('messages').at(-1)?.fields).not.toHaveProperty('betas');
  });

  test('sends max_tokens 32,000 when the request has none', async () => {
    await adapter.create('x', { max_tokens: undefined });
    expect(adapter.client.upstream.requests('messages').at(-1)?.fields).toMatchObject({ max_tokens: 32_000 });
  });

  test.each([
    ['beside what it may think', { thinking: { type: 'enabled', budget_tokens: 40_000 } }, {}, 72_000],
    ['but no longer than its endpoint makes', {}, { maxOutputTokens: 8_192 }, 8_192],
    ['unless the request says it', { max_tokens: 50 }, { maxOutputTokens: 8_192 }, 50],
  ])('sets max_tokens %s', async (_how, more, facts, maxTokens) => {
    const request = adapter.newRequest('x', { max_tokens: undefined, ...more });
    await adapter.messages().create(request, { ...adapter.newContext(), ...facts });
    expect(adapter.client.upstream.requests('messages').at(-1)?.fields).toMatchObject({
      max_tokens: maxTokens,
    });
  });
});
