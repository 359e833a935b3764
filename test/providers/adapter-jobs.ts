import { describe, expect, test } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { VideoOperation } from '../../providers/video-adapter.ts';
import type { AdapterUnderTest } from './adapter-under-test.ts';

const MEBIBYTE = 1024 ** 2;

/** What becomes of a job: its status, its cancelling and its file. */
export function describeJobs(adapter: AdapterUnderTest): void {
  describe('status', () => {
    test('has the vendor’s status and the progress of a running job', async () => {
      const operation = await adapter.submitWith({ kind: 'stall' });
      expect(await adapter.status(operation)).toEqual(adapter.harness.running);
    });

    test('has the vendor’s message of a failed job, with URLs replaced by [link]', async () => {
      const operation = await adapter.submitWith({
        kind: 'fail',
        code: 'bad_luck',
        message: 'Too dark to see https://x.example/a.',
      });
      expect(await adapter.ended(operation)).toEqual({
        state: 'failed',
        vendorStatus: adapter.harness.failedStatus,
        publicMessage: 'Too dark to see [link]',
      });
    });

    test.each([
      ['cancel', 'cancelled'],
      ['expire', 'expired'],
    ])('recognises the end of a job by %s', async (kind, state) => {
      expect(await adapter.ended(await adapter.submitWith({ kind }))).toMatchObject({ state });
    });

    test('fails as not_found for a vanished job', async () => {
      const operation = await adapter.submitWith({ kind: 'stall' }, { kind: 'vanish', afterRetrieves: 1 });
      expect(await adapter.status(operation)).toMatchObject({ state: 'running' });
      const error = await adapter.failure(adapter.status(operation));
      expect(error).toMatchObject({ code: 'not_found', status: 404 });
    });
  });

  if (adapter.harness.afterCancel === 'not_offered') {
    test('offers no cancel, because the vendor documents none', () => {
      expect(adapter.connect().cancel).toBeUndefined();
    });
  } else describeCancel(adapter);

  describe('an output', () => {
    test('opens as the file, with its type and length', async () => {
      const { body, contentType, bytes } = await adapter.open(await adapter.submit());
      const file = Buffer.concat(await body.toArray());
      expect(contentType).toBe('video/mp4');
      expect(file.toString('latin1', 4, 8)).toBe('ftyp');
      expect(bytes).toBe(file.length);
    });

    test('follows a redirect through the outbound guard, without the key', async () => {
      const file = await adapter.file(await adapter.submitWith({ kind: 'redirect' }));
      expect(file.toString('latin1', 4, 8)).toBe('ftyp');
      const fetched = adapter.client.upstream.requests().at(-1);
      expect(fetched).toMatchObject({ path: expect.stringMatching(/^\/links\//), hasKey: false });
    });

    test('follows no redirect to an address that the guard blocks', async () => {
      const location = 'http://169.254.169.254/latest/meta-data';
      expect(
        await adapter.failure(adapter.open(await adapter.submitWith({ kind: 'redirect', location }))),
      ).toMatchObject({
        code: 'not_connected',
      });
    });

    test('has the type video/mp4 when the vendor sends application/octet-stream', async () => {
      const opened = await adapter.open(
        await adapter.submitWith({ kind: 'content-type', value: 'application/octet-stream' }),
      );
      opened.body.resume();
      expect(opened.contentType).toBe('video/mp4');
    });

    test('fails as invalid_response when the vendor sends text/html', async () => {
      const work = adapter.open(await adapter.submitWith({ kind: 'content-type', value: 'text/html' }));
      expect(await adapter.failure(work)).toMatchObject({ code: 'invalid_response' });
    });

    test('fails as not_found when the vendor answers 404', async () => {
      const work = adapter.open(await adapter.submitWith({ kind: 'status', on: 'content', status: 404 }));
      expect(await adapter.failure(work)).toMatchObject({ code: 'not_found' });
    });

    test('fails as connection_lost when its connection is cut in the middle', async () => {
      const { body } = await adapter.open(await adapter.submitWith({ kind: 'truncate', bytes: 100 }));
      expect(await adapter.failure(body.toArray())).toMatchObject({ code: 'connection_lost' });
    });

    test('fails as aborted when its reader aborts', async () => {
      const stop = new AbortController();
      const operation = await adapter.submitWith({ kind: 'stream', bytes: 64 * MEBIBYTE });
      const { body } = await adapter.open(operation, stop.signal);
      body.once('data', () => stop.abort());
      expect(await adapter.failure(body.toArray())).toMatchObject({ code: 'aborted', retryable: false });
    });

    test('streams whole when the vendor announces no length', async () => {
      const opened = await adapter.open(
        await adapter.submitWith({ kind: 'stream', bytes: MEBIBYTE, announced: false }),
      );
      expect(opened.bytes).toBeUndefined();
      expect(Buffer.concat(await opened.body.toArray())).toHaveLength(MEBIBYTE);
    });

    test('streams 128 MiB with less than half of it in memory', async () => {
      const size = 128 * MEBIBYTE;
      const { body, bytes } = await adapter.open(await adapter.submitWith({ kind: 'stream', bytes: size }));
      expect(bytes).toBe(size);
      const before = heldBytes();
      let read = 0;
      let most = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        // Seldom: a collection of a test process's whole heap takes seconds.
        if ((read += chunk.length) % (32 * MEBIBYTE) < chunk.length)
          most = Math.max(most, heldBytes() - before);
      }
      expect(read).toBe(size);
      // One collection leaves what came since the last; without backpressure it would be all of it.
      expect(most).toBeLessThan(size / 2);
    });
  });
}

function describeCancel(adapter: AdapterUnderTest): void {
  const cancel = async (operation: VideoOperation) =>
    adapter.connect().cancel?.(operation, adapter.newContext());
  /** Cancels a running job, and the vendor answers with this status. */
  const cancelAnswered = async (status: number) =>
    cancel(await adapter.submitWith({ kind: 'stall' }, { kind: 'status', on: 'delete', status }));

  describe('cancel', () => {
    test('stops a running job, and succeeds when repeated', async () => {
      const operation = await adapter.submitWith({ kind: 'stall' });
      expect(await cancel(operation)).toEqual({ kind: 'stopped' });
      const status = adapter.connect().status(operation, adapter.newContext());
      if (adapter.harness.afterCancel === 'cancelled') {
        expect(await status).toMatchObject({ state: 'cancelled' });
      } else {
        expect(await adapter.failure(status)).toMatchObject({ code: 'not_found' });
      }
      expect(await cancel(operation)).toEqual({ kind: 'stopped' });
    });

    // Servers that cancel by DELETE may lack its route, so these statuses tell nothing about their jobs.
    const hasRoute = adapter.harness.afterCancel !== 'gone';

    test.each([
      [400, 'not_stopped'],
      [409, 'not_stopped'],
      [422, 'not_stopped'],
      ...(hasRoute ? ([404, 410] as const).map((status) => [status, 'stopped'] as const) : []),
    ])('understands the answer %d as %s', async (status, kind) => {
      expect(await cancelAnswered(status)).toEqual({ kind });
    });

    test('returns not_stopped for a completed job, whose file stays', async () => {
      const operation = await adapter.submit();
      const before = await adapter.ended(operation);
      expect(await cancel(operation)).toEqual({ kind: 'not_stopped' });
      expect(await adapter.connect().status(operation, adapter.newContext())).toEqual(before);
    });

    test.each([[500, 'server_error'], ...(hasRoute ? ([[405, 'invalid_request']] as const) : [])])(
      'fails when the vendor answers %d, as %s',
      async (status, code) => {
        expect(await adapter.failure(cancelAnswered(status))).toMatchObject({ code });
      },
    );
  });
}

/** Memory in use after a collection; that of the upstream in the same process included. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}
