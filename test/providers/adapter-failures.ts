import { describe, expect, test } from '@jest/globals';
import { isCertainRefusal } from '../../domain/provider-error.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import type { AdapterUnderTest } from './adapter-under-test.ts';
import { heldBy, newRequestId, timedOut } from './held-call.ts';
import { UPSTREAM_KEY } from './upstream-client.ts';

/** Every class of failure, with its retry verdict and its certainty. What a vendor's own codes mean is its wire's. */
export function describeFailures(adapter: AdapterUnderTest): void {
  describe('a refusal', () => {
    test.each([
      [400, 'invalid_request', false],
      [401, 'unauthorized', false],
      [402, 'unauthorized', false],
      [403, 'unauthorized', false],
      [404, 'not_found', false],
      [409, 'conflict', false],
      [422, 'invalid_request', false],
      [429, 'rate_limited', true],
      [500, 'server_error', true],
      [502, 'server_error', true],
      [503, 'overloaded', true],
      [504, 'timeout', true],
      [529, 'overloaded', true],
    ])('status %d becomes %s', async (status, code, retryable) => {
      adapter.client.upstream.addFaults({ kind: 'status', on: 'create', status });
      const error = await adapter.failure(adapter.submit());
      expect(error).toMatchObject({ code, status, retryable });
      expect(isCertainRefusal(error)).toBe(status < 500);
    });

    test('carries Retry-After in milliseconds, given in seconds or as a date', async () => {
      adapter.client.upstream.addFaults({ kind: 'status', on: 'retrieve', status: 429, retryAfter: '7' });
      const operation = await adapter.submit();
      expect((await adapter.failure(adapter.status(operation))).retryAfterMs).toBe(7000);
      const retryAfter = new Date(Date.now() + 3_600_000).toUTCString();
      adapter.client.upstream.addFaults({ kind: 'status', on: 'retrieve', status: 503, retryAfter });
      const { retryAfterMs = 0 } = await adapter.failure(adapter.status(operation));
      expect(Math.round(retryAfterMs / 600_000)).toBe(6);
    });

    test('shows the vendor’s words about the request, but no key, address or account', async () => {
      const message = `Bad size. Key ${UPSTREAM_KEY} of org-abcdef123 at https://internal.example/v1?token=x, ask ops@vendor.example.`;
      adapter.client.upstream.addFaults({ kind: 'status', on: 'create', status: 400, message });
      const error = await adapter.failure(adapter.submit());
      expect(error.publicMessage).toMatch(/^Bad size\./);
      for (const text of [error.publicMessage, error.message, String(error.cause)]) {
        expect(text).not.toMatch(/sk-local|org-abcdef|internal\.example|ops@vendor/);
      }
    });

    test('hides the vendor’s words about the operator’s key', async () => {
      adapter.client.upstream.addFaults({
        kind: 'status',
        on: 'create',
        status: 401,
        message: 'Key of Example Inc. was revoked',
      });
      expect((await adapter.failure(adapter.submit())).publicMessage).not.toMatch(/Example/);
    });
  });

  describe('a connection', () => {
    test('fails as not_connected, a certain refusal, when its port is closed', async () => {
      const gone = await startLoopbackServer(() => {});
      await gone.close();
      const error = await adapter.failure(
        adapter.connect({ baseUrl: `${gone.origin}/v1` }).submit(adapter.newRequest(), adapter.newContext()),
      );
      expect(error).toMatchObject({ code: 'not_connected', retryable: true });
      expect(isCertainRefusal(error)).toBe(true);
    });

    test('carries at most one submission, but several status requests', async () => {
      const sockets = { submission: new Set<unknown>(), status: new Set<unknown>() };
      const vendor = await startLoopbackServer((request, response) => {
        const isStatus = request.method === 'GET' || request.url?.endsWith(':fetchPredictOperation');
        sockets[isStatus === true ? 'status' : 'submission'].add(request.socket);
        const url = `${vendor.origin}/v1/video_1`;
        const urls = { status_url: url, response_url: url, cancel_url: url };
        const names = { id: 'video_1', request_id: 'video_1', name: 'models/m/operations/video_1' };
        response.end(JSON.stringify({ ...names, status: 'queued', ...urls }));
      });
      const video = adapter.connect({ baseUrl: `${vendor.origin}/v1` });
      for (const _ of ['first', 'second']) {
        const operation = await video.submit(adapter.newRequest(), adapter.newContext());
        await video.status(operation, adapter.newContext());
      }
      await vendor.close();
      expect([sockets.submission.size, sockets.status.size]).toEqual([2, 1]);
    });

    test('fails as not_connected when TLS fails', async () => {
      const baseUrl = adapter.client.baseUrl.replace('http:', 'https:');
      expect(
        await adapter.failure(
          adapter.connect({ baseUrl }).submit(adapter.newRequest(), adapter.newContext()),
        ),
      ).toMatchObject({
        code: 'not_connected',
      });
    });

    test('times out with an uncertain outcome when the vendor stays silent', async () => {
      const submit = ({ requestId, timeoutMs }: { requestId: string; timeoutMs: number }) =>
        adapter
          .connect({ timeouts: { submitMs: timeoutMs } })
          .submit(adapter.newRequest(), { ...adapter.newContext(), requestId });
      await timedOut(adapter.client, { kind: 'hang', on: 'create' }, async (facts) => {
        const error = await adapter.failure(submit(facts));
        expect(isCertainRefusal(error)).toBe(false);
        throw error;
      });
    });

    test('fails as aborted with an uncertain outcome when the caller aborts', async () => {
      adapter.client.upstream.addFaults({ kind: 'hang', on: 'create' });
      const [stop, requestId] = [new AbortController(), newRequestId()];
      const context = { ...adapter.newContext(stop.signal), requestId };
      const error = adapter.failure(adapter.connect().submit(adapter.newRequest(), context));
      await heldBy(adapter.client, requestId);
      stop.abort();
      expect(await error).toMatchObject({ code: 'aborted', retryable: false });
      expect(isCertainRefusal(await error)).toBe(false);
    });

    test('reports a certain refusal when the caller aborted before the submission', async () => {
      const error = await adapter.failure(
        adapter.connect().submit(adapter.newRequest(), adapter.newContext(AbortSignal.abort())),
      );
      expect(isCertainRefusal(error)).toBe(true);
    });
  });

  describe('an answer', () => {
    test.each(['garbage', 'wrong-shape', 'oversized'] as const)(
      'fails as invalid_response when it is %s',
      async (kind) => {
        adapter.client.upstream.addFaults({ kind, on: 'create' });
        const error = await adapter.failure(adapter.submit());
        expect(isCertainRefusal(error)).toBe(false);
        expect(error.code).toBe('invalid_response');
      },
    );
  });
}
