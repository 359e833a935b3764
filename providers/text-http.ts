/** Creates the HTTP client with which adapters call a vendor while the caller waits. */
import { HOPS_HEADER } from '../domain/hops.ts';
import type { ProviderSettings } from './provider-settings.ts';
import type { LiveCallContext } from './call-context.ts';
import { noteOf } from './repairs.ts';
import { type EventReader, StreamedAnswer } from './streamed-answer.ts';
import { type BytesReader, StreamedBytes } from './streamed-bytes.ts';
import { aborted, type ExchangeOptions, type TextExchange } from './text-exchange.ts';
import { type ParseAnswer, WholeAnswer } from './whole-answer.ts';

/**
 * Sends requests that a caller waits for. Only requests lost with a stale connection are repeated. All failures are
 * ProviderError.
 */
export interface TextHttp {
  /** Returns the answer's JSON as parsed by `parse`. `path` is below the base URL, without a leading slash. */
  post(path: string, body: object, context: LiveCallContext, parse?: ParseAnswer): Promise<unknown>;
  /** Returns the answer's events as interpreted by the reader; resolves with the first ones. */
  stream<T>(
    path: string,
    body: object,
    context: LiveCallContext,
    reader: EventReader<T>,
  ): Promise<AsyncIterable<T[]>>;
  /** Returns the answer's bytes; resolves with the first ones. */
  bytes(path: string, body: object, context: LiveCallContext, reader: BytesReader): Promise<StreamedBytes>;
}

export interface TextHttpOptions extends Pick<ProviderSettings, 'baseUrl' | 'apiKey' | 'dispatcher'> {
  /**
   * Headers that replace the bearer token of `apiKey`, for vendors that expect the key in another header. Names are in
   * lower case.
   */
  headers?: Record<string, string>;
}

/** Creates the functions that send requests. The URL's parts and the headers are computed once for all calls. */
export function createTextHttp(options: TextHttpOptions): TextHttp {
  const { apiKey, dispatcher } = options;
  const { origin, pathname } = new URL(`${options.baseUrl.replace(/\/+$/, '')}/`);
  const headers = fixedHeaders(options);

  function send(
    path: string,
    body: string,
    { requestId, hops, ownConnection }: LiveCallContext,
    bodyTimeout: number,
    exchange: TextExchange,
  ): void {
    exchange.send(dispatcher, {
      origin,
      path: pathname + path,
      method: 'POST',
      headers: headers.concat(
        'x-client-request-id',
        requestId,
        hops === undefined ? [] : [HOPS_HEADER, hops],
      ),
      body,
      // True: the request may use a kept connection.
      idempotent: ownConnection !== true,
      // The exchange has its own timer.
      headersTimeout: 0,
      bodyTimeout,
    });
  }

  async function begin<Answer extends TextExchange & { firstValues: Promise<void> }>(
    path: string,
    body: object,
    context: LiveCallContext,
    create: (options: ExchangeOptions) => Answer,
  ): Promise<Answer> {
    if (context.signal.aborted) throw aborted(context.signal, false);
    const json = JSON.stringify(body);
    const { firstByteMs, idleMs } = context.timeouts;
    const exchange = create(optionsOf(context, firstByteMs, apiKey));
    // The idle timeout applies within the body, and not while the vendor is paused for the caller.
    send(path, json, context, idleMs, exchange);
    await exchange.firstValues;
    return exchange;
  }

  return {
    async post(path, body, context, parse) {
      if (context.signal.aborted) throw aborted(context.signal, false);
      // The body is serialized first: if that throws, no exchange with a timer exists yet.
      const json = JSON.stringify(body);
      const exchange = new WholeAnswer(optionsOf(context, context.timeouts.attemptMs, apiKey), parse);
      send(path, json, context, 0, exchange);
      return exchange.value;
    },
    async stream(path, body, context, reader) {
      return begin(path, body, context, (options) => new StreamedAnswer(options, reader));
    },
    async bytes(path, body, context, reader) {
      return begin(path, body, context, (options) => new StreamedBytes(options, reader));
    },
  };
}

function optionsOf(context: LiveCallContext, timeoutMs: number, secret: string | undefined): ExchangeOptions {
  const { signal, answer } = context;
  return { signal, timeoutMs, secret, answer, note: noteOf(context) };
}

function fixedHeaders({ apiKey, headers }: TextHttpOptions): string[] {
  const bearer = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const all = { accept: '*/*', 'user-agent': 'sluice', 'content-type': 'application/json' };
  return Object.entries({ ...all, ...(headers ?? bearer) }).flat();
}
