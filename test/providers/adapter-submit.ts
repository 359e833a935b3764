import { describe, expect, test } from '@jest/globals';
import { isCertainRefusal } from '../../domain/provider-error.ts';
import type { VideoSubmitRequest } from '../../providers/video-adapter.ts';
import type { AdapterUnderTest } from './adapter-under-test.ts';

/** What is sent, what is refused unsent, and what an unknown outcome allows. */
export function describeSubmit(adapter: AdapterUnderTest): void {
  describe('submit', () => {
    test('sends key and request id once, and returns an operation of plain JSON', async () => {
      const before = adapter.client.upstream.requests('create').length;
      const operation = await adapter.submit();
      expect(JSON.parse(JSON.stringify(operation))).toEqual(operation);
      const sent = adapter.client.upstream.requests('create').slice(before);
      expect(sent).toMatchObject([{ hasKey: true, requestId: 'req_test' }]);
    });

    test.each(['data:text/html;base64,AAAA', 'data:image/png;base64,', 'data:image/png;base64,!!!!'])(
      'refuses a data URL that is no image, before anything is sent: %s',
      async (url) => {
        const before = adapter.client.upstream.requests('create').length;
        const error = await adapter.failure(
          adapter.submit({ frameImages: [{ url, frameType: 'first_frame' }] }),
        );
        expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
        expect(isCertainRefusal(error)).toBe(true);
        expect(adapter.client.upstream.requests('create')).toHaveLength(before);
      },
    );
  });

  describe('a submission whose answer is lost', () => {
    test.each([
      ['drop-after', 1],
      ['drop', 0],
    ] as const)(
      'has an uncertain outcome after %s, which findOperation or idempotentSubmit settles',
      async (kind, made) => {
        const request = adapter.newRequest();
        adapter.client.upstream.addFaults({ kind, on: 'create' });
        const error = await adapter.failure(adapter.connect().submit(request, adapter.newContext()));
        expect(error.code).toBe('connection_lost');
        expect(isCertainRefusal(error)).toBe(false);
        const { findOperation, idempotentSubmit } = adapter.connect();
        const found = await findOperation?.(request.idempotencyKey, adapter.newContext());
        if (findOperation !== undefined) expect(found === null ? 0 : 1).toBe(made);
        if (idempotentSubmit) {
          const [first, second] = [
            await adapter.connect().submit(request, adapter.newContext()),
            await adapter.connect().submit(request, adapter.newContext()),
          ];
          expect(second).toEqual(first);
          if (made === 1) expect(first).toEqual(found);
        }
      },
    );
  });
}

/** What a vendor of models lacks, beside what all of them lack. */
export function describeLacks(
  adapter: AdapterUnderTest,
  lacks: [what: string, request: Partial<VideoSubmitRequest>][],
): void {
  test.each<[string, Partial<VideoSubmitRequest>]>([
    ['an upscale factor', { upscaleFactor: 2 }],
    ['creativity', { creativity: 1 }],
    ['an exact size that has no name', { size: { width: 160, height: 128 } }],
    ...lacks,
  ])('cannot have %s, and fails without a request', async (_, request) => {
    const before = adapter.client.upstream.requests('create').length;
    const error = await adapter.failure(adapter.submit(request));
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(isCertainRefusal(error)).toBe(true);
    expect(adapter.client.upstream.requests('create')).toHaveLength(before);
  });
}
