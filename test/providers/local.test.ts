import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createOutboundGuard } from '../../platform/outbound-guard.ts';
import type { VideoAdapter } from '../../providers/video-adapter.ts';
import { createProviders } from '../../providers/registry.ts';
import { describeVideoAdapter } from './adapter-suite.ts';
import { describeRerankAdapter } from './rerank-promises.ts';
import { describeTextAdapter } from './text-suite.ts';
import { startUpstream, UPSTREAM_KEY, type UpstreamClient } from './upstream-client.ts';

describeVideoAdapter('local');
describeTextAdapter('local');
describeRerankAdapter('local', { pictures: true });

describe('the local video adapter', () => {
  const outbound = createOutboundGuard({ allow: [] });
  const context = { signal: new AbortController().signal, requestId: 'req_test' };
  const png =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  let client: UpstreamClient;
  let video: VideoAdapter | undefined;

  beforeAll(async () => {
    client = await startUpstream();
    const rows = [{ slug: 'local', adapter: 'local', baseUrl: client.baseUrl }];
    video = createProviders({ rows, credentials: () => ({ apiKey: UPSTREAM_KEY }), outbound }).get(
      'local',
    )?.video;
  });
  afterAll(async () => {
    await outbound.close();
    await client.upstream.close();
  });

  test('finds an operation by its key, and none for another key', async () => {
    const request = { upstreamModel: 'clip-canned', prompt: 'x', idempotencyKey: 'k1' };
    const operation = await video?.submit(request, context);
    expect(operation).toBeDefined();
    expect(await video?.findOperation?.('k1', context)).toEqual(operation);
    expect(await video?.findOperation?.('k2', context)).toBeNull();
  });

  test('makes one job of a repeated submission', async () => {
    const request = { upstreamModel: 'clip-canned', prompt: 'x', idempotencyKey: 'k3' };
    expect(video?.idempotentSubmit).toBe(true);
    expect(await video?.submit(request, context)).toEqual(await video?.submit(request, context));
  });

  test('sends a last frame', async () => {
    const frameImages = [
      { url: png, frameType: 'first_frame' as const },
      { url: png, frameType: 'last_frame' as const },
    ];
    const size = { width: 160, height: 128 };
    await video?.submit(
      { upstreamModel: 'clip-1', idempotencyKey: 'k4', size, durationSeconds: 1, frameImages },
      context,
    );
    expect(client.upstream.requests('create').at(-1)).toMatchObject({
      fields: {
        input_reference: { contentType: 'image/png' },
        last_frame_reference: { contentType: 'image/png' },
      },
    });
  });
});
