import { afterAll, beforeAll } from '@jest/globals';
import type { LiveCallContext } from '../../providers/call-context.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import type { Provider } from '../../providers/provider.ts';
import { createProviders } from '../../providers/registry.ts';
import { freeAnswer } from '../support/free-answer.ts';
import { startVendorServer, type VendorServer } from '../support/vendor-server.ts';
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
  provider(adapter: string): Provider;
  newContext(): LiveCallContext;
}

const PATIENT = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };

/** Starts a vendor that lives as long as the test file. */
export function setUpVendorOfAnswers(): VendorOfAnswers {
  const dispatcher = createProviderDispatcher();
  const outbound = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
  let server: VendorServer;

  beforeAll(async () => {
    server = await startVendorServer();
  });
  afterAll(async () => {
    await dispatcher.destroy();
    await server.close();
  });

  return {
    answerWith(status, contentType, body, headers = {}) {
      server.answer = (_, response) =>
        response.writeHead(status, { 'content-type': contentType, ...headers }).end(body);
    },
    provider(adapter) {
      const rows = [{ slug: 'vendor', adapter, baseUrl: server.baseUrl }];
      return createProviders({
        rows,
        credentials: () => ({ apiKey: UPSTREAM_KEY }),
        outbound,
        dispatcher,
      }).get('vendor')!;
    },
    newContext: () => ({
      signal: new AbortController().signal,
      requestId: 'req_test',
      timeouts: PATIENT,
      answer: freeAnswer(),
    }),
  };
}
