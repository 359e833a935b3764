import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { ProviderError } from '../../domain/provider-error.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { createTextHttp } from '../../providers/text-http.ts';
import { createSelfSignedCertificate } from '../platform/self-signed-certificate.ts';
import { type Ask, type Ending, type FickleVendor, startFickleVendor } from './fickle-vendor.ts';
import { withMoreTime } from '../support/with-more-time.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { freeAnswer } from '../support/free-answer.ts';

const PATIENT = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };
const certificate = createSelfSignedCertificate('localhost');
const trusted = getCACertificates('default');

let dispatcher: Dispatcher;
let vendor: FickleVendor;

beforeAll(() => setDefaultCACertificates([...trusted, certificate.certificate]));
afterAll(() => setDefaultCACertificates(trusted));
beforeEach(() => {
  dispatcher = createProviderDispatcher();
});
afterEach(async () => {
  await dispatcher.destroy();
  await vendor.close();
});

type Way = 'a whole answer' | 'a stream' | 'bytes';
const WAYS: Way[] = ['a whole answer', 'a stream', 'bytes'];
const ENDINGS: Ending[] = ['closed', 'reset'];

/** One exchange: the text that was answered. */
async function ask(way: Way, facts: Partial<LiveCallContext> = {}, body: object = {}): Promise<string> {
  const { signal } = new AbortController();
  const context = { signal, requestId: 'req', timeouts: PATIENT, answer: freeAnswer(), ...facts };
  const http = createTextHttp({ baseUrl: vendor.baseUrl, apiKey: undefined, dispatcher });
  const readBody = (text: string) =>
    new ProviderError({ code: 'invalid_response', sent: true, retryable: true, publicMessage: text });
  if (way === 'a whole answer') return http.post('whole', body, context, { read: String });
  if (way === 'bytes') {
    const reader = { accepts: () => true, readBody };
    return Buffer.concat((await partsOf(await http.bytes('bytes', body, context, reader))).flat()).toString();
  }
  const read = ({ data }: { data: string }) => (data === '[DONE]' ? 'end' : data);
  const reader = { read, readBody, isWhole: () => false };
  return (await partsOf(await http.stream<string>('stream', body, context, reader))).flat().join('');
}

async function partsOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const parts: T[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

function answer({ request, response }: Ask): void {
  request.resume().on('end', () => {
    if (request.url === '/whole') return response.setHeader('content-type', 'application/json').end('hello');
    if (request.url === '/bytes') return response.setHeader('content-type', 'audio/mpeg').end('hello');
    return response.setHeader('content-type', 'text/event-stream').end('data: hello\n\ndata: [DONE]\n\n');
  });
}

/** Ends a connection in the moment when it is used again. */
function endingThe(nth: number, how: Ending): (ask: Ask) => void {
  return (asked) => (asked.nth === nth ? asked.end(how) : answer(asked));
}

/** However long a busy machine takes for a loss, it is less than a second. */
function stopTheClock(): void {
  beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(0));
  afterEach(() => void jest.restoreAllMocks());
}

/** Until a connection that is free can be taken again. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe.each([
  ['plain', undefined],
  ['TLS', certificate],
])('exchanges over %s', (_, tls) => {
  describe.each(ENDINGS)('a used connection that is %s as it is used again', (how) => {
    stopTheClock();

    test.each(WAYS)('leads to one repetition of %s over a fresh connection', async (way) => {
      vendor = await startFickleVendor(endingThe(2, how), tls);
      await ask(way);
      await nextTurn();
      expect(await ask(way)).toBe('hello');
      expect(vendor.asks).toEqual(['1.1', '1.2', '2.1']);
    });

    test('leads to one repetition of a long request that was being sent', async () => {
      vendor = await startFickleVendor(endingThe(2, how), tls);
      await ask('a whole answer');
      await nextTurn();
      expect(await ask('a whole answer', {}, { words: 'x'.repeat(16 * 1024 ** 2) })).toBe('hello');
      expect(vendor.asks).toEqual(['1.1', '1.2', '2.1']);
    });

    test.each(WAYS)('fails %s with connection_lost when the fresh connection is lost too', async (way) => {
      vendor = await startFickleVendor((asked) => {
        if (vendor.asks.length > 1) asked.end(how);
        else answer(asked);
      }, tls);
      await ask(way);
      await nextTurn();
      expect(await failureOf(ask(way))).toMatchObject({ code: 'connection_lost', retryable: true });
      expect(vendor.asks).toEqual(['1.1', '1.2', '2.1']);
    });
  });

  test.each(WAYS.flatMap((way) => ENDINGS.map((how) => [way, how] as const)))(
    '%s fails as connection_lost when its own new connection is %s',
    async (way, how) => {
      vendor = await startFickleVendor(endingThe(1, how), tls);
      expect(await failureOf(ask(way))).toMatchObject({ code: 'connection_lost', retryable: true });
      expect(vendor.asks).toEqual(['1.1']);
    },
  );

  test('a request lost after a second on a used connection is not repeated', async () => {
    vendor = await startFickleVendor((asked) => {
      if (asked.nth === 1) answer(asked);
      else setTimeout(() => asked.end('closed'), 1_100);
    }, tls);
    await ask('a whole answer');
    await nextTurn();
    expect(await failureOf(ask('a whole answer'))).toMatchObject({ code: 'connection_lost' });
    expect(vendor.asks).toEqual(['1.1', '1.2']);
  });

  test.each([1, 2])('an answer that breaks off is not requested again, on request %d', async (nth) => {
    vendor = await startFickleVendor((asked) => {
      if (asked.nth !== nth) return answer(asked);
      return asked.request.resume().on('end', () => asked.request.socket.end('HTTP/1.1 20'));
    }, tls);
    if (nth === 2) await ask('a whole answer');
    await nextTurn();
    expect(await failureOf(ask('a whole answer'))).toMatchObject({ code: 'connection_lost' });
    expect(vendor.asks).toHaveLength(nth);
  });
});

describe('the repeated request', () => {
  stopTheClock();

  /** A vendor that hears it and stays silent. */
  async function startSilence(): Promise<{ second: Promise<Ask> }> {
    const heard = Promise.withResolvers<Ask>();
    vendor = await startFickleVendor((asked) => {
      if (asked.connection === 2) heard.resolve(asked);
      else endingThe(2, 'closed')(asked);
    });
    await ask('a whole answer');
    await nextTurn();
    return { second: heard.promise };
  }

  test.each(WAYS)('ends when the caller leaves: %s', async (way) => {
    const { second } = await startSilence();
    const stop = new AbortController();
    const failure = failureOf(ask(way, { signal: stop.signal }));
    const { response } = await second;
    const closed = once(response, 'close');
    stop.abort();
    expect(await failure).toMatchObject({ code: 'aborted', retryable: false });
    await closed;
  });

  test.each(WAYS)('ends with the timeout of the attempt: %s', async (way) => {
    await withMoreTime(100, async (timeMs) => {
      const { second } = await startSilence();
      const timeouts = { ...PATIENT, firstByteMs: timeMs, attemptMs: timeMs };
      const failure = failureOf(ask(way, { timeouts }));
      const asked = await Promise.race([second, failure.then(() => undefined)]);
      expect(await failure).toMatchObject({ code: 'timeout', retryable: true });
      if (asked === undefined) {
        await vendor.close();
        return undefined;
      }
      if (!asked.response.closed) await once(asked.response, 'close');
      expect(vendor.asks).toEqual(['1.1', '1.2', '2.1']);
      return true;
    });
  });

  test.each(WAYS)('fails as connection_lost when nothing listens: %s', async (way) => {
    vendor = await startFickleVendor((asked) => {
      if (asked.nth === 2) vendor.stopListening();
      endingThe(2, 'closed')(asked);
    });
    await ask('a whole answer');
    await nextTurn();
    expect(await failureOf(ask(way))).toMatchObject({ code: 'connection_lost', retryable: true });
    expect(vendor.asks).toEqual(['1.1', '1.2']);
  });

  test('uses no other used connection', async () => {
    vendor = await startFickleVendor(endingThe(2, 'closed'));
    await Promise.all([ask('a whole answer'), ask('a whole answer')]);
    await nextTurn();
    expect(await ask('a whole answer')).toBe('hello');
    expect(vendor.asks.slice(2)).toEqual([expect.stringMatching(/^[12]\.2$/), '3.1']);
  });

  test('completes when the connections are closed meanwhile', async () => {
    let closing: Promise<void> | undefined;
    vendor = await startFickleVendor((asked) => {
      if (asked.nth === 2) closing = dispatcher.close();
      endingThe(2, 'closed')(asked);
    });
    await ask('a whole answer');
    await nextTurn();
    expect(await ask('a whole answer')).toBe('hello');
    await closing;
  });
});
