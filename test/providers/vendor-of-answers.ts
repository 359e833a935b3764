import { afterAll, beforeAll } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { createOutboundGuard, type OutboundGuard } from '../../platform/outbound-guard.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import type { Provider } from '../../providers/provider.ts';
import type { ProviderTimeouts } from '../../providers/provider-settings.ts';
import { createProviders } from '../../providers/registry.ts';
import { freeAnswer } from '../support/free-answer.ts';
import { startVendorServer, type VendorServer } from '../support/vendor-server.ts';
import { startTokenServer, type TokenServer } from './google/vertex-tokens.ts';
import { UPSTREAM_KEY } from './upstream-client.ts';

/** A vendor whose next answers a test writes, and the adapters that ask it. */
export interface VendorOfAnswers {
  /** Answers so from now on. */
  answerWith(
    status: number,
    contentType: string,
    body: string | Buffer,
    headers?: Record<string, string[]>,
  ): void;
  /** Answers by writing to the response, or not at all. */
  answerBy(write: (response: ServerResponse) => void): void;
  /** Returns the path and the JSON of the last request. */
  sent(): { path: string; body: Record<string, unknown> };
  /** Returns an address at the vendor. */
  urlOf(path: string): string;
  /** The adapter with its usual credential. Its timeouts are those of videos. */
  provider(adapter: string, timeouts?: Partial<ProviderTimeouts>): Provider;
  newContext(timeouts?: Partial<LiveCallContext['timeouts']>): LiveCallContext;
}

const PATIENT = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };
const NOWHERE = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };

/** Starts a vendor that lives as long as the test file. It gets `secret` as the key, or as a token of its cloud. */
export function setUpVendorOfAnswers(secret = UPSTREAM_KEY): VendorOfAnswers {
  const dispatcher = createProviderDispatcher();
  let server: VendorServer;
  let tokens: TokenServer;
  let guard: OutboundGuard;
  /** Kept, because each one fetches a token. */
  let vertex: Provider | undefined;

  function create(adapter: string, timeouts?: Partial<ProviderTimeouts>): Provider {
    const rows = [{ slug: 'vendor', adapter, baseUrl: server.baseUrl }];
    const isVertex = adapter === 'google-vertex';
    const apiKey = isVertex ? tokens.serviceAccount() : secret;
    return createProviders({
      rows,
      credentials: () => ({ apiKey }),
      // A service account gets its token from another server.
      outbound: isVertex ? guard : NOWHERE,
      dispatcher,
      ...(timeouts && { timeouts }),
    }).get('vendor')!;
  }

  beforeAll(async () => {
    [server, tokens] = await Promise.all([startVendorServer(), startTokenServer(secret)]);
    guard = createOutboundGuard({ allow: ['127.0.0.0/8'] });
  });
  afterAll(async () => {
    await dispatcher.destroy();
    await Promise.all([server.close(), tokens.close(), guard.close()]);
  });

  return {
    answerWith(status, contentType, body, headers = {}) {
      server.answer = (_, response) =>
        response.writeHead(status, { 'content-type': contentType, ...headers }).end(body);
    },
    answerBy(write) {
      server.answer = (_, response) => write(response);
    },
    sent() {
      const { path, body } = server.calls.at(-1)!;
      return { path, body: JSON.parse(body) as Record<string, unknown> };
    },
    urlOf: (path) => `${server.baseUrl}/${path}`,
    provider(adapter, timeouts) {
      if (adapter !== 'google-vertex' || timeouts !== undefined) return create(adapter, timeouts);
      return (vertex ??= create(adapter));
    },
    newContext: (timeouts) => ({
      signal: new AbortController().signal,
      requestId: 'req_test',
      timeouts: { ...PATIENT, ...timeouts },
      answer: freeAnswer(),
    }),
  };
}
