/** Sends requests to URLs of customers and vendors without exposing the operator's network. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Agent } from 'undici';
import type { buildConnector, Dispatcher } from 'undici';
import { createGuardedConnector, resolveWithSystem } from './guarded-connector.ts';
import type { ResolveHost } from './guarded-connector.ts';
import { hasBlankOrControl } from '../domain/url-text.ts';
import { guardBody } from './outbound-body.ts';
import { createDeadline } from './outbound-deadline.ts';
import type { Deadline } from './outbound-deadline.ts';
import { OutboundBlockedError, OutboundResponseTooLargeError, toOutboundError } from './outbound-error.ts';
import { harmlessHeaders, redirectLocation, requestHeaders } from './outbound-headers.ts';
import { OutboundStream, type StreamLimits } from './outbound-stream.ts';
import { createOutboundRules } from './outbound-rules.ts';
import type { OutboundRules } from './outbound-rules.ts';
import type { OwnAddresses } from './own-addresses.ts';
import { parseOutboundUrl } from './url-rules.ts';

/** The longest silence of a body, independent of the total timeout. */
const IDLE_BODY_TIMEOUT_MS = 60_000;

export interface OutboundRequest {
  /** Absent: `GET`. */
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | undefined;
  /** Aborts the request; the call rejects, or the body ends, with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The time from the call to the last byte of the body, including redirects. */
  timeoutMs: number;
  /** Absent: 0, and a 3xx is an answer like any other. Only GET and HEAD are ever redirected. */
  maxRedirects?: number;
  maxResponseBytes?: number;
}

export interface StreamedRequest extends StreamLimits {
  method: string;
  /**
   * The path and the query to send unchanged, in place of those of the URL, which the URL parser may have rewritten. It
   * begins with a slash, so that it cannot name another host or port.
   */
  pathAndQuery?: string;
  headers: Record<string, string>;
  /** Absent: an empty body. */
  body?: Uint8Array | undefined;
}

export interface OutboundResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body, which the caller must read or destroy. It is cut at the timeout. */
  body: Readable;
}

/** A URL that `checkedUrl` accepted. */
export type CheckedUrl = URL & { readonly [CHECKED]: true };

declare const CHECKED: unique symbol;

/** Sends all requests to URLs that customers or upstreams name (ADR 0006). */
export interface OutboundGuard {
  /** Throws OutboundBlockedError for a URL that can be refused without DNS. Used by request validation. */
  checkUrl(url: string): void;
  /**
   * Returns the URL for `open`, without dots at the end of its host. The caller must not change it afterwards. Throws
   * OutboundBlockedError like `checkUrl`.
   */
  checkedUrl(url: URL): CheckedUrl;
  /**
   * Opens connections to permitted addresses only. It is for clients with their own pool, which check URLs by
   * `checkUrl`.
   */
  connect: buildConnector.connector;
  /**
   * Sends one request, without retries. Rejects with OutboundBlockedError, OutboundTimeoutError,
   * OutboundResponseTooLargeError, OutboundNetworkError or the reason of `signal`. None of their messages holds a
   * resolved address.
   */
  fetch(url: string, request: OutboundRequest): Promise<OutboundResponse>;
  /** Sends one request without redirects. Its body may be silent until the timeout. The stream throws all errors. */
  open(url: CheckedUrl, request: StreamedRequest): OutboundStream;
  /**
   * Checks and fetches media that requests name or vendors made. These may also be on this gateway, which serves the
   * outputs of earlier jobs.
   */
  media: Pick<OutboundGuard, 'checkUrl' | 'fetch'>;
  /** Closes all connections, including those in use. */
  close(): Promise<void>;
}

export interface OutboundGuardOptions {
  /**
   * CIDR ranges that are reachable although not public, and host names that accept plain http. Metadata addresses and
   * hosts stay refused.
   */
  allow: readonly string[];
  /** Absent: the system's resolver. */
  resolve?: ResolveHost;
  /** PEM certificates that replace the system's authorities. */
  ca?: string;
  /** True: https uses port 443 only, except for entries of `allow`. */
  onlyPort443?: boolean;
  /** The addresses of this gateway, which are refused except for media. Absent: none is known. */
  own?: OwnAddresses;
}

export function createOutboundGuard(options: OutboundGuardOptions): OutboundGuard {
  const { own: _own, ...forMedia } = options;
  const [guard, media] = [createGuard(options), createGuard(forMedia)];
  return {
    ...guard,
    media,
    async close() {
      await Promise.all([guard.close(), media.close()]);
    },
  };
}

function createGuard(options: OutboundGuardOptions): Omit<OutboundGuard, 'media'> {
  const rules = createOutboundRules(options.allow, options);
  const connect = createGuardedConnector({
    rules,
    resolve: options.resolve ?? resolveWithSystem,
    ca: options.ca,
  });
  const agent = new Agent({ connect, headersTimeout: 0, bodyTimeout: IDLE_BODY_TIMEOUT_MS });

  return {
    checkUrl(url) {
      if (hasBlankOrControl(url)) throw new OutboundBlockedError('invalid_url');
      parseOutboundUrl(url, rules);
    },
    checkedUrl: (url) => parseOutboundUrl(url, rules) as CheckedUrl,
    connect,
    async fetch(url, request) {
      const deadline = createDeadline(request.timeoutMs, request.signal);
      try {
        return await exchange({ agent, rules }, url, request, deadline);
      } catch (error) {
        deadline.clear();
        throw deadline.signal.aborted ? deadline.signal.reason : toOutboundError(error, { sent: true });
      }
    },
    open(url, { method, headers, body = null, pathAndQuery = url.pathname + url.search, ...limits }) {
      // undici would send a whole URL as the target, whose host a server prefers to the header `Host`. It refuses
      // blanks and control characters itself.
      if (!pathAndQuery.startsWith('/')) throw new OutboundBlockedError('invalid_url');
      const stream = new OutboundStream(limits);
      agent.dispatch(
        {
          origin: url.origin,
          path: pathAndQuery,
          method,
          headers: requestHeaders(headers),
          body,
          bodyTimeout: 0,
        } as Agent.DispatchOptions,
        stream,
      );
      return stream;
    },
    close: () => agent.destroy(),
  };
}

async function exchange(
  { agent, rules }: { agent: Agent; rules: OutboundRules },
  url: string,
  request: OutboundRequest,
  deadline: Deadline,
): Promise<OutboundResponse> {
  const { method = 'GET', body = null, maxRedirects = 0, maxResponseBytes = Infinity } = request;
  const { signal } = deadline;
  let target = parseOutboundUrl(url, rules);
  let headers = requestHeaders(request.headers ?? {});
  for (let hop = 0; ; hop += 1) {
    const { origin, pathname, search } = target;
    const sent = agent.request({ origin, path: pathname + search, method, headers, body, signal });
    const answer = await deadline.limit(sent);
    const location = maxRedirects === 0 ? undefined : redirectLocation(method, answer);
    if (location === undefined) return present(answer, method, maxResponseBytes, deadline);
    discard(answer.body);
    if (hop === maxRedirects) throw new OutboundBlockedError('too_many_redirects');
    target = parseOutboundUrl(URL.parse(location, target.href)?.href ?? '', rules);
    if (target.origin !== origin) headers = harmlessHeaders(headers);
  }
}

function present(
  answer: Dispatcher.ResponseData,
  method: string,
  maxBytes: number,
  deadline: Deadline,
): OutboundResponse {
  if (method !== 'HEAD' && Number(answer.headers['content-length'] ?? 0) > maxBytes) {
    discard(answer.body);
    throw new OutboundResponseTooLargeError(maxBytes);
  }
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: guardBody(answer.body, maxBytes, deadline),
  };
}

function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}
