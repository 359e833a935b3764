/** Creates the HTTP client with which adapters call a vendor while the caller waits. */
import type { Fields } from '../domain/fields.ts';
import { HOPS_HEADER } from '../domain/hops.ts';
import { rejectOnAbort } from './http.ts';
import type { ProviderSettings } from './provider-settings.ts';
import type { LiveCallContext } from './call-context.ts';
import { noteOf } from './repairs.ts';
import { type EventReader, StreamedAnswer } from './streamed-answer.ts';
import { type BytesReader, StreamedBytes } from './streamed-bytes.ts';
import { aborted, type ExchangeOptions, type TextExchange } from './text-exchange.ts';
import { type AnswerReader, WholeAnswer } from './whole-answer.ts';

/**
 * Sends requests that a caller waits for. Only requests lost with a stale connection are repeated. All failures are
 * ProviderError.
 */
export interface TextHttp {
  /** Returns the answer as read by the reader. `path` is below the base URL, without a leading slash. */
  post<T = Fields>(
    path: string,
    body: object,
    context: LiveCallContext,
    reader?: AnswerReader<T>,
  ): Promise<T>;
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
  /** Returns the secrets that errors must not contain, once a request is authorized. Absent: only `apiKey`. */
  secrets?(): readonly string[];
  /** Returns more headers for each request, such as its signature. Throws ProviderError. */
  authorize?: Authorize | undefined;
}

/** Returns the headers that authorize a request. */
export type Authorize = (request: { url: string; body: string }) => Promise<Record<string, string>>;

/** Creates the functions that send requests. The URL's parts and the headers are computed once for all calls. */
export function createTextHttp(options: TextHttpOptions): TextHttp {
  const { apiKey, dispatcher } = options;
  const ofKey = apiKey === undefined ? [] : [apiKey];
  const { secrets = () => ofKey } = options;
  const { origin, pathname } = new URL(`${options.baseUrl.replace(/\/+$/, '')}/`);
  const headers = fixedHeaders(options);

  function send(
    path: string,
    { json, signed }: Prepared,
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
        signed,
      ),
      body: json,
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
    const preparing = prepare(options.authorize, origin + pathname + path, body, context);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    const { firstByteMs, idleMs } = context.timeouts;
    const exchange = create(optionsOf(context, firstByteMs, secrets()));
    // The idle timeout applies within the body, and not while the vendor is paused for the caller.
    send(path, prepared, context, idleMs, exchange);
    await exchange.firstValues;
    return exchange;
  }

  return {
    async post(path, body, context, reader = {}) {
      const preparing = prepare(options.authorize, origin + pathname + path, body, context);
      const prepared = preparing instanceof Promise ? await preparing : preparing;
      const exchange = new WholeAnswer(optionsOf(context, context.timeouts.attemptMs, secrets()), reader);
      send(path, prepared, context, 0, exchange);
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

interface Prepared {
  json: string;
  signed: string[];
}

/**
 * Returns the body's text and its headers. Nothing has been sent, and no exchange with a timer exists yet. Only
 * requests with such headers wait: an abort that came while others wait here would reach no exchange.
 */
function prepare(
  authorize: Authorize | undefined,
  url: string,
  body: object,
  { signal }: LiveCallContext,
): Prepared | Promise<Prepared> {
  if (signal.aborted) throw aborted(signal, false);
  const json = JSON.stringify(body);
  return authorize === undefined ? { json, signed: [] } : sign(authorize, url, json, signal);
}

async function sign(authorize: Authorize, url: string, json: string, signal: AbortSignal): Promise<Prepared> {
  try {
    const signed = await rejectOnAbort(authorize({ url, body: json }), signal);
    signal.throwIfAborted();
    return { json, signed: Object.entries(signed).flat() };
  } catch (error) {
    throw signal.aborted ? aborted(signal, false) : error;
  }
}

function optionsOf(context: LiveCallContext, timeoutMs: number, secrets: readonly string[]): ExchangeOptions {
  const { signal, answer } = context;
  return { signal, timeoutMs, secrets, answer, note: noteOf(context) };
}

function fixedHeaders({ apiKey, headers }: TextHttpOptions): string[] {
  const bearer = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const all = { accept: '*/*', 'user-agent': 'sluice', 'content-type': 'application/json' };
  return Object.entries({ ...all, ...(headers ?? bearer) }).flat();
}
