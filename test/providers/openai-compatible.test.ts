import { describe, expect, test } from '@jest/globals';
import { createProviders } from '../../providers/registry.ts';
import { describeVideoAdapter } from './adapter-suite.ts';
import { describeRerankAdapter } from './rerank-promises.ts';
import { describeTextAdapter } from './text-suite.ts';

describeVideoAdapter('openai-compatible');
describeTextAdapter('openai-compatible');
describeRerankAdapter('openai-compatible', { pictures: true });

describe('the generic wire', () => {
  const providers = createProviders({
    rows: [{ slug: 'vendor', adapter: 'openai-compatible', baseUrl: 'https://api.example.com/v1' }],
    credentials: () => ({}),
    outbound: { fetch: () => Promise.reject(new Error('nothing is fetched here')) },
  });
  const video = providers.get('vendor')?.video;

  test('promises neither idempotency nor a search by key', () => {
    expect(video?.idempotentSubmit).toBe(false);
    expect(video?.findOperation).toBeUndefined();
  });

  test('refuses a last frame as invalid_request', async () => {
    const request = {
      upstreamModel: 'm',
      prompt: 'x',
      idempotencyKey: 'k',
      frameImages: [{ url: 'data:image/png;base64,AAAA', frameType: 'last_frame' as const }],
    };
    const context = { signal: new AbortController().signal, requestId: 'r' };
    await expect(video?.submit(request, context)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
