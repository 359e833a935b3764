import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { afterAll } from '@jest/globals';
import { createProvider } from '../../providers/registry.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import type { Provider } from '../../providers/provider.ts';
import { DEFAULT_TIMEOUTS, type ProviderSettings } from '../../providers/provider-settings.ts';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import { freeAnswer } from '../support/free-answer.ts';

export const AZURE_KEY = 'azure-key-0123456789abcdef';

/** A request as it arrived. */
export interface RecordedRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export interface RecordingServer extends LoopbackServer {
  requests: RecordedRequest[];
}

/** Starts a server that keeps what it was asked and answers as the listener does. */
export async function startRecordingServer(answer: RequestListener): Promise<RecordingServer> {
  const requests: RecordedRequest[] = [];
  const server = await startLoopbackServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      requests.push({ method, url, headers, body });
      answer(request, response);
    });
  });
  return { ...server, requests };
}

/** Returns a function that builds an adapter; its connections end with the test file. */
export function setUpAdapters(name: string): (settings: Partial<ProviderSettings>) => Required<TextProvider> {
  const dispatcher = createProviderDispatcher();
  afterAll(() => dispatcher.destroy());
  return (settings) => {
    const outbound = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
    const provider = createProvider(name, {
      slug: name,
      baseUrl: '',
      dispatcher,
      outbound,
      timeouts: DEFAULT_TIMEOUTS,
      ...settings,
    });
    if (provider === undefined) throw new Error(`there is no adapter ${name}`);
    // A test asks its adapter for nothing that it cannot do.
    return provider as Required<TextProvider>;
  };
}

type TextProvider = Pick<Provider, 'chat' | 'embeddings' | 'rerank' | 'speech'>;

/** Returns the context of a call that may take its time. */
export function newContext() {
  const patience = 60_000;
  return {
    signal: new AbortController().signal,
    requestId: 'req_test',
    timeouts: { firstByteMs: patience, idleMs: patience, attemptMs: patience },
    answer: freeAnswer(),
  };
}
