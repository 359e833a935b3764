import { describe, expect, test } from '@jest/globals';
import { isCertainRefusal } from '../../domain/provider-error.ts';
import { createOutboundGuard } from '../../platform/outbound-guard.ts';
import type { VideoSubmitRequest } from '../../providers/video-adapter.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import type { AdapterUnderTest } from './adapter-under-test.ts';

const PNG = `data:image/png;base64,${Buffer.from('not looked at by the adapter').toString('base64')}`;

/** What is said in the words of the `/v1/videos` wire, and what cannot be said. */
export function describeVideosWire(adapter: AdapterUnderTest): void {
  describe('submit', () => {
    test('sends the documented fields and returns an operation of plain JSON', async () => {
      const operation = await adapter.submit({
        upstreamModel: 'clip-1',
        durationSeconds: 1,
        size: { width: 160, height: 128 },
        resolution: '360p',
        seed: 7,
        passthrough: { model: 'another', prompt: 'another', faults: [] },
      });
      expect(JSON.parse(JSON.stringify(operation))).toEqual(operation);
      expect(adapter.client.upstream.requests('create').at(-1)).toMatchObject({
        requestId: 'req_test',
        fields: {
          model: 'clip-1',
          prompt: 'A lighthouse',
          seconds: '1',
          size: '160x128',
          seed: '7',
          faults: '[]',
        },
      });
    });

    test('uploads a first frame from a data URL', async () => {
      adapter.client.upstream.addFaults({ kind: 'status', on: 'create', status: 400 });
      await adapter.failure(adapter.submit({ frameImages: [{ url: PNG, frameType: 'first_frame' }] }));
      expect(adapter.client.upstream.requests('create').at(-1)).toMatchObject({
        fields: { input_reference: { name: 'reference.png', contentType: 'image/png', bytes: 28 } },
      });
    });

    test('fetches a reference image through the guard and uploads it', async () => {
      const host = await startLoopbackServer((_, response) =>
        response.setHeader('content-type', 'image/webp').end('RIFF'),
      );
      adapter.client.upstream.addFaults({ kind: 'status', on: 'create', status: 400 });
      await adapter.failure(
        adapter.submit({ inputReferences: [{ kind: 'image', url: `${host.origin}/a` }] }),
      );
      await host.close();
      expect(adapter.client.upstream.requests('create').at(-1)).toMatchObject({
        fields: { input_reference: { name: 'reference.webp', bytes: 4 } },
      });
    });

    test('refuses an image that the guard blocks, before anything is sent', async () => {
      const outbound = createOutboundGuard({ allow: [] });
      const request = adapter.newRequest({
        inputReferences: [{ kind: 'image', url: `${adapter.client.url}/healthz` }],
      });
      const before = adapter.client.upstream.requests().length;
      const error = await adapter.failure(
        adapter.connect({ outbound }).submit(request, adapter.newContext()),
      );
      await outbound.close();
      expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
      expect(isCertainRefusal(error)).toBe(true);
      expect(adapter.client.upstream.requests()).toHaveLength(before);
    });

    test.each<[string, Partial<VideoSubmitRequest>]>([
      ['audio', { generateAudio: true }],
      ['an upscale factor', { upscaleFactor: 2 }],
      ['a resolution that has no size', { resolution: '2K' }],
      [
        'two opening images',
        {
          frameImages: [{ url: PNG, frameType: 'first_frame' }],
          inputReferences: [{ kind: 'image', url: PNG }],
        },
      ],
    ])('refuses %s before anything is sent', async (_, request) => {
      const before = adapter.client.upstream.requests('create').length;
      const error = await adapter.failure(adapter.submit(request));
      expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
      expect(isCertainRefusal(error)).toBe(true);
      expect(adapter.client.upstream.requests('create')).toHaveLength(before);
    });

    test('ignores audio and video references', async () => {
      await adapter.submit({
        inputReferences: [
          { kind: 'audio', url: 'https://a.invalid/a.mp3' },
          { kind: 'video', url: 'https://a.invalid/a.mp4' },
        ],
      });
      expect(adapter.client.upstream.requests('create').at(-1)?.fields).not.toHaveProperty('input_reference');
    });

    test('sends a continuation to the remix route of the earlier job', async () => {
      const previousOperation = await adapter.submit();
      await adapter.ended(previousOperation);
      const operation = await adapter.submit({ prompt: 'At night', durationSeconds: 1, previousOperation });
      expect(await adapter.ended(operation)).toMatchObject({ state: 'completed' });
      expect(adapter.client.upstream.requests('remix').at(-1)).toMatchObject({
        path: `/v1/videos/${previousOperation['id']}/remix`,
        fields: { prompt: 'At night' },
      });
    });
  });

  describe('a cancel that the vendor answers with 404', () => {
    const NO_ROUTE = { kind: 'status', on: 'delete', status: 404 };
    const cancel = async (...faults: object[]) =>
      adapter.connect().cancel?.(await adapter.submitWith(NO_ROUTE, ...faults), adapter.newContext());

    test.each<[string, object[]]>([
      ['runs on', [{ kind: 'stall' }]],
      ['has completed', []],
      ['has failed', [{ kind: 'fail' }]],
    ])('returns not_stopped when the job %s', async (_, faults) => {
      expect(await cancel(...faults)).toEqual({ kind: 'not_stopped' });
    });

    test.each<[string, object[]]>([
      ['is unknown too', [{ kind: 'vanish' }]],
      ['was cancelled', [{ kind: 'cancel' }]],
    ])('returns stopped when the job %s', async (_, faults) => {
      expect(await cancel(...faults)).toEqual({ kind: 'stopped' });
    });

    test('fails as server_error when the status request fails', async () => {
      const work = cancel({ kind: 'status', on: 'retrieve', status: 500, times: 2 });
      expect(await adapter.failure(work)).toMatchObject({ code: 'server_error' });
    });
  });

  describe('a refusal', () => {
    test.each(['moderation_blocked', 'content_policy_violation'])(
      'the code %s becomes content_policy, with the vendor’s message',
      async (code) => {
        adapter.client.upstream.addFaults({
          kind: 'status',
          on: 'create',
          status: 400,
          code,
          message: 'No such scenes.',
        });
        expect(await adapter.failure(adapter.submit())).toMatchObject({
          code: 'content_policy',
          retryable: false,
          publicMessage: 'No such scenes.',
        });
      },
    );

    test('becomes unauthorized, without a retry, for the code insufficient_quota', async () => {
      adapter.client.upstream.addFaults({
        kind: 'status',
        on: 'create',
        status: 429,
        code: 'insufficient_quota',
      });
      expect(await adapter.failure(adapter.submit())).toMatchObject({
        code: 'unauthorized',
        retryable: false,
      });
    });
  });
}
