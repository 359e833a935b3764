import type { ProviderSettings } from './provider-settings.ts';
import type { LiveCallContext } from './call-context.ts';
import { type EventReader, StreamedAnswer } from './streamed-answer.ts';
import { type BytesReader, StreamedBytes } from './streamed-bytes.ts';
import { aborted, type ExchangeOptions, type TextExchange } from './text-exchange.ts';
import { type ParseAnswer, WholeAnswer } from './whole-answer.ts';

/**
 * Exchanges whose caller waits: chat and embeddings. Nothing is retried here but what was lost with a stale connection;
 * all failures are ProviderError.
 */
export interface TextHttp {
  /** The answer's JSON, as `parse` reads it. `path` is below the base URL, without a leading slash. */
  post(path: string, body: object, context: LiveCallContext, parse?: ParseAnswer): Promise<unknown>;
  /** The answer's events as the reader understands them; resolves when the first are there. */
  stream<T>(
    path: string,
    body: object,
    context: LiveCallContext,
    reader: EventReader<T>,
  ): Promise<AsyncIterable<T[]>>;
  /** The answer's bytes; resolves when the first are there. */
  bytes(path: string, body: object, context: LiveCallContext, reader: BytesReader): Promise<StreamedBytes>;
}

export interface TextHttpOptions extends Pick<ProviderSettings, 'baseUrl' | 'apiKey' | 'dispatcher'> {
  /** In place of the bearer token of `apiKey`, for vendors who want it elsewhere. Names in lower case. */
  headers?: Record<string, string>;
}

/** What is the same for all calls is made once: the URL's parts and the headers. */
export function createTextHttp(options: TextHttpOptions): TextHttp {
  const { apiKey, dispatcher } = options;
  const { origin, pathname } = new URL(`${options.baseUrl.replace(/\/+$/, '')}/`);
  const headers = fixedHeaders(options);

  function send(
    path: string,
    body: string,
    { requestId, ownConnection }: LiveCallContext,
    bodyTimeout: number,
    exchange: TextExchange,
  ): void {
    exchange.send(dispatcher, {
      origin,
      path: pathname + path,
      method: 'POST',
      headers: headers.concat('x-client-request-id', requestId),
      body,
      // A kept connection will do.
      idempotent: ownConnection !== true,
      // The exchange has its own timer.
      headersTimeout: 0,
      bodyTimeout,
    });
  }

  async function begin<Answer extends TextExchange & { begun: Promise<void> }>(
    path: string,
    body: object,
    context: LiveCallContext,
    create: (options: ExchangeOptions) => Answer,
  ): Promise<Answer> {
    const { signal, timeouts } = context;
    if (signal.aborted) throw aborted(signal, false);
    const json = JSON.stringify(body);
    const answer = create({ signal, timeoutMs: timeouts.firstByteMs, secret: apiKey });
    // Silence in the middle; bytes of any kind break it. Not counted while the vendor has to wait for the caller.
    send(path, json, context, timeouts.idleMs, answer);
    await answer.begun;
    return answer;
  }

  return {
    async post(path, body, context, parse) {
      const { signal, timeouts } = context;
      if (signal.aborted) throw aborted(signal, false);
      // Before there is an exchange, whose timer would outlive what cannot be written.
      const json = JSON.stringify(body);
      const answer = new WholeAnswer({ signal, timeoutMs: timeouts.attemptMs, secret: apiKey }, parse);
      send(path, json, context, 0, answer);
      return answer.value;
    },
    async stream(path, body, context, reader) {
      return begin(path, body, context, (options) => new StreamedAnswer(options, reader));
    },
    async bytes(path, body, context, reader) {
      return begin(path, body, context, (options) => new StreamedBytes(options, reader));
    },
  };
}

function fixedHeaders({ apiKey, headers }: TextHttpOptions): string[] {
  const bearer = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const all = { accept: '*/*', 'user-agent': 'sluice', 'content-type': 'application/json' };
  return Object.entries({ ...all, ...(headers ?? bearer) }).flat();
}
