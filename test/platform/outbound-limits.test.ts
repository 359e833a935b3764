import { describe, expect, test } from '@jest/globals';
import { text } from 'node:stream/consumers';
import { OutboundResponseTooLargeError, OutboundTimeoutError } from '../../platform/outbound-error.ts';
import type { OutboundResponse } from '../../platform/outbound-guard.ts';
import { withMoreTime } from '../support/with-more-time.ts';
import { closeAfterEach, GET, guardWith, serve } from './outbound-setup.ts';

closeAfterEach();

/** Returns an answer whose head came in time, and whose body has little time left. */
function fetchWithMoreTime(origin: string): Promise<OutboundResponse> {
  return withMoreTime(100, (timeoutMs) =>
    guardWith()
      .fetch(origin, { timeoutMs })
      .catch((error: unknown) => {
        expect(error).toBeInstanceOf(OutboundTimeoutError);
        return undefined;
      }),
  );
}

describe('a slow endpoint', () => {
  test('causes a timeout when no response comes', async () => {
    const { origin } = await serve(() => undefined);
    await expect(guardWith().fetch(origin, { timeoutMs: 100 })).rejects.toBeInstanceOf(OutboundTimeoutError);
  });

  test('causes a timeout when its name never resolves', async () => {
    const guard = guardWith({ resolve: () => new Promise(() => undefined) });
    await expect(guard.fetch('https://slow-dns.example/', { timeoutMs: 100 })).rejects.toBeInstanceOf(
      OutboundTimeoutError,
    );
  });

  test('causes a timeout when its body trickles without end', async () => {
    const { origin } = await serve((request, response) => {
      const drip = setInterval(() => response.write('.'), 10);
      request.socket.once('close', () => clearInterval(drip));
    });
    const answer = await fetchWithMoreTime(origin);
    expect(answer.status).toBe(200);
    await expect(text(answer.body)).rejects.toBeInstanceOf(OutboundTimeoutError);
  });

  test('causes a timeout over all redirects together', async () => {
    const { origin } = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/hang' }).end();
    });
    await expect(guardWith().fetch(origin, { timeoutMs: 200, maxRedirects: 3 })).rejects.toBeInstanceOf(
      OutboundTimeoutError,
    );
  });

  test('cannot crash the process when a body that nobody reads is cut', async () => {
    const { origin } = await serve((_request, response) => void response.write('started'));
    const answer = await fetchWithMoreTime(origin);
    await new Promise<void>((resolve) => answer.body.once('close', resolve));
    expect(answer.body.errored).toBeInstanceOf(OutboundTimeoutError);
  });
});

describe("the limit of a response's size", () => {
  test('refuses an announced length before the body is read', async () => {
    const { origin } = await serve((_request, response) => response.end('x'.repeat(101)));
    await expect(guardWith().fetch(origin, { ...GET, maxResponseBytes: 100 })).rejects.toBeInstanceOf(
      OutboundResponseTooLargeError,
    );
  });

  test('cuts a body without an announced length', async () => {
    const { origin } = await serve((_request, response) => {
      response.write('x'.repeat(60));
      response.end('x'.repeat(60));
    });
    const answer = await guardWith().fetch(origin, { ...GET, maxResponseBytes: 100 });
    await expect(text(answer.body)).rejects.toBeInstanceOf(OutboundResponseTooLargeError);
  });

  test('allows a body of exactly that size', async () => {
    const { origin } = await serve((_request, response) => response.end('x'.repeat(100)));
    const answer = await guardWith().fetch(origin, { ...GET, maxResponseBytes: 100 });
    expect(await text(answer.body)).toHaveLength(100);
  });

  test('ignores the length that a response to HEAD announces', async () => {
    const { origin } = await serve((_request, response) =>
      response.writeHead(200, { 'content-length': 500 }).end(),
    );
    const answer = await guardWith().fetch(origin, { method: 'HEAD', ...GET, maxResponseBytes: 100 });
    expect(answer.headers['content-length']).toBe('500');
    expect(await text(answer.body)).toBe('');
  });
});

describe('an abort signal', () => {
  const reason = new Error('the job was cancelled');

  test('rejects a request under way with its reason', async () => {
    const controller = new AbortController();
    const { origin } = await serve(() => controller.abort(reason));
    await expect(guardWith().fetch(origin, { ...GET, signal: controller.signal })).rejects.toBe(reason);
  });

  test('ends a body under way with its reason', async () => {
    const controller = new AbortController();
    const { origin } = await serve((_request, response) => void response.write('started'));
    const answer = await guardWith().fetch(origin, { ...GET, signal: controller.signal });
    controller.abort(reason);
    await expect(text(answer.body)).rejects.toBe(reason);
  });

  test('prevents the request when aborted beforehand', async () => {
    let served = 0;
    const { origin } = await serve((_request, response) => response.end(`${(served += 1)}`));
    await expect(guardWith().fetch(origin, { ...GET, signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(served).toBe(0);
  });
});
