import { afterEach, describe, expect, test } from '@jest/globals';
import { type OperationDefinition } from '../../../contract/operation.ts';
import { operations } from '../../../contract/operations.ts';
import { EventStream } from '../../../platform/event-stream.ts';
import { NO_METRICS } from '../../../platform/metrics.ts';
import { createRequestsInFlight } from '../../../services/rate-limits/requests-in-flight.ts';
import { eventually } from '../../support/eventually.ts';
import { principals } from '../support/fake-services.ts';
import { openRaw } from '../support/raw-request.ts';
import { MAX_BODY_BYTES, type ServedApi, serveApi } from '../support/serve-api.ts';

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
const HEADERS = { authorization: 'Bearer regular-key', 'content-type': 'application/json' };

let api: ServedApi;
afterEach(() => api.close());

interface Serving {
  /** Resolves when the chat has reached its service. */
  begun: Promise<void>;
  /** Ends the chats of the service. */
  end(): void;
  /** Returns whether the key has no request in flight. */
  isFree(): boolean;
}

/** Starts an API in which a key may have one request in flight. Chats wait for `end`. */
async function serve(): Promise<Serving> {
  const requestsInFlight = createRequestsInFlight({ maxOfKey: 1, maxOfOrganization: 2, metrics: NO_METRICS });
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const stream = async () => ({
    generationId: 'gen-1-abc',
    events: new EventStream(
      (async function* () {
        yield 'data: 1\n\n';
        begun.resolve();
        await ended.promise;
        return 'data: 2\n\n';
      })(),
    ),
  });
  const create = async (): Promise<never> => {
    begun.resolve();
    await ended.promise;
    throw new Error('the service failed');
  };
  api = await serveApi({ requestsInFlight, chat: { stream, create } });
  return {
    begun: begun.promise,
    end: ended.resolve,
    isFree() {
      try {
        requestsInFlight.enter(principals['regular-key']!)();
        return true;
      } catch {
        return false;
      }
    },
  };
}

function post(body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(`${api.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Waits until the request counts no more: a client may see the end of an answer before the server does. */
function freed({ isFree }: Serving): Promise<true> {
  return eventually('the end of the request', async () => isFree() || undefined);
}

const all: OperationDefinition[] = Object.values(operations);

describe('the count of requests in flight', () => {
  test('includes a request until its stream has ended', async () => {
    const serving = await serve();
    const answer = await post({ ...CHAT, stream: true });
    await serving.begun;
    expect(serving.isFree()).toBe(false);
    expect((await post(CHAT)).status).toBe(429);
    serving.end();
    await answer.text();
    await freed(serving);
  });

  test('includes a request until its service has failed', async () => {
    const serving = await serve();
    const answer = post(CHAT);
    await serving.begun;
    expect(serving.isFree()).toBe(false);
    serving.end();
    expect((await answer).status).toBe(500);
    await freed(serving);
  });

  test.each([
    ['before its answer', CHAT],
    ['in the middle of a stream', { ...CHAT, stream: true }],
  ])('drops a request whose caller leaves %s', async (_when, body) => {
    const serving = await serve();
    const leaving = new AbortController();
    const answer = post(body, leaving.signal).then((response) => response.text());
    await serving.begun;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await freed(serving);
    serving.end();
  });

  test('includes a request whose body has not arrived', async () => {
    const serving = await serve();
    const { socket, until } = openRaw(api.port);
    const head = ['POST /api/v1/chat/completions HTTP/1.1', 'host: x', 'expect: 100-continue'];
    const fields = [...Object.entries(HEADERS), ['content-length', '1000']].map((pair) => pair.join(': '));
    socket.write(`${[...head, ...fields].join('\r\n')}\r\n\r\n`);
    await until('100 Continue');
    expect(serving.isFree()).toBe(false);
    socket.destroy();
    await freed(serving);
  });

  test.each([
    ['an invalid body', { messages: 'none' }, 400],
    ['a body that is too large', { ...CHAT, user: 'x'.repeat(MAX_BODY_BYTES) }, 413],
  ])('drops a request refused for %s', async (_why, body, status) => {
    const serving = await serve();
    expect((await post(body)).status).toBe(status);
    await freed(serving);
  });
});

describe('the operations that call out', () => {
  test('include every generating operation except countMessageTokens', () => {
    const generating = all.filter(({ access }) => access === 'generation');
    expect(generating.filter(({ callsOut }) => !callsOut).map(({ id }) => id)).toEqual([
      'countMessageTokens',
    ]);
  });

  test.each(all.filter(({ callsOut }) => callsOut).map((operation) => [operation.id, operation] as const))(
    '%s answers 429 above the limit before its body is read',
    async (_id, { method, base, path, access }) => {
      const requestsInFlight = createRequestsInFlight({
        maxOfKey: 1,
        maxOfOrganization: 1,
        metrics: NO_METRICS,
      });
      api = await serveApi({ requestsInFlight });
      requestsInFlight.enter(principals['regular-key']!);
      const key = access === 'management' ? 'management-key' : 'regular-key';
      const headers = { authorization: `Bearer ${key}`, 'sluice-authorization': `Bearer ${key}` };
      const target = path.replaceAll(/\{\w+…?\}/g, crypto.randomUUID());
      const url = `${api.origin}${base === 'root' ? '' : '/api/v1'}${target}`;
      const answer = await fetch(url, { method: method.toUpperCase(), headers });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
      expect(await answer.text()).toContain('"reason":"too_many_in_flight"');
    },
  );
});
