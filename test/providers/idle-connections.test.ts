/** Checks how long idle connections to vendors and to hosts of customers are kept. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { buildConnector, type Dispatcher } from 'undici';
import { createCustomerDispatcher, createProviderDispatcher } from '../../providers/provider-connection.ts';
import { createTextHttp } from '../../providers/text-http.ts';
import { type Ask, type FickleVendor, startFickleVendor } from './fickle-vendor.ts';
import { freeAnswer } from '../support/free-answer.ts';

/** All but `setTimeout`, whose time decides when idle connections are closed. */
const NOT_FAKED = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
] as const;

let dispatcher: Dispatcher;
let vendor: FickleVendor;

beforeEach(() => {
  dispatcher = createProviderDispatcher();
});
afterEach(async () => {
  await dispatcher.destroy();
  await vendor.close();
});

function ask(): Promise<unknown> {
  const timeouts = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };
  const context = { signal: new AbortController().signal, requestId: 'req', timeouts, answer: freeAnswer() };
  return createTextHttp({ baseUrl: vendor.baseUrl, apiKey: undefined, dispatcher }).post(
    'whole',
    {},
    context,
  );
}

function answer({ request, response }: Ask): void {
  request
    .resume()
    .on('end', () => response.setHeader('content-type', 'application/json').end('{"text":"hello"}'));
}

/** Waits until a connection that is free can be taken again. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('idle connections', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: [...NOT_FAKED] }));
  afterEach(() => void jest.useRealTimers());

  /** A vendor that answers with these headers, and counts the connections that the gateway closed. */
  async function startVendor(headers: Record<string, string>): Promise<void> {
    vendor = await startFickleVendor((asked) => {
      asked.response.setHeaders(new Map(Object.entries({ connection: 'keep-alive', ...headers })));
      answer(asked);
    });
  }

  /** Asks, stays idle for some seconds, and asks again. */
  async function askTwice(idleSeconds: number): Promise<string[]> {
    await ask();
    await nextTurn();
    await jest.advanceTimersByTimeAsync(idleSeconds * 1_000);
    await nextTurn();
    await ask();
    return vendor.asks;
  }
  const REUSED = ['1.1', '1.2'];
  const REPLACED = ['1.1', '2.1'];

  test.each<[string, Record<string, string>, number, string[]]>([
    ['is used again after ten seconds', {}, 10, REUSED],
    ['is used again after almost a minute', {}, 55, REUSED],
    ['is closed after a minute', {}, 62, REPLACED],
    ['is used again before its vendor closes it', { 'keep-alive': 'timeout=20' }, 15, REUSED],
    ['is closed before its vendor closes it', { 'keep-alive': 'timeout=20' }, 20, REPLACED],
    [
      'is closed after a minute although its vendor waits longer',
      { 'keep-alive': 'timeout=600' },
      62,
      REPLACED,
    ],
    [
      'is not used again when its vendor closes it within two seconds',
      { 'keep-alive': 'timeout=2' },
      0,
      REPLACED,
    ],
  ])(
    'a connection to a vendor serves the next request or ends: it %s',
    async (_, headers, idleSeconds, asks) => {
      await startVendor(headers);
      expect(await askTwice(idleSeconds)).toEqual(asks);
    },
  );

  test.each([
    ['is used again within two seconds', 2, REUSED],
    ['is closed after three seconds', 5, REPLACED],
  ])(
    'a connection to the host of a customer serves the next request or ends: it %s',
    async (_, idleSeconds, asks) => {
      await dispatcher.destroy();
      dispatcher = createCustomerDispatcher(buildConnector({}));
      await startVendor({});
      expect(await askTwice(idleSeconds)).toEqual(asks);
    },
  );

  test('a connection that its vendor has closed is replaced before anything is sent', async () => {
    const closed = Promise.withResolvers<void>();
    vendor = await startFickleVendor((asked) => {
      if (asked.connection > 1) return answer(asked);
      asked.response.setHeader('connection', 'keep-alive');
      asked.request.socket.once('close', () => closed.resolve());
      asked.response.once('finish', () => setImmediate(() => asked.request.socket.end()));
      answer(asked);
    });
    await ask();
    await closed.promise;
    await nextTurn();
    expect(await ask()).toEqual({ text: 'hello' });
    expect(vendor.asks).toEqual(REPLACED);
  });
});
