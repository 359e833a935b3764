import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { ProviderError } from '../../domain/provider-error.ts';
import { createOutboundGuard, type OutboundGuard } from '../../platform/outbound-guard.ts';
import type { FaultInput } from '../../providers/local/upstream/faults.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import type { ChatAdapter, ChatChunk, ChatCompletion, TextRequest } from '../../providers/chat-adapter.ts';
import type { EmbeddingsAdapter } from '../../providers/embeddings-adapter.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { createProviders } from '../../providers/registry.ts';
import { startUpstream, UPSTREAM_KEY, type UpstreamClient } from './upstream-client.ts';

/** A provider's text adapters, connected to a vendor on this machine that lives as long as the test file. */
export interface TextAdapterUnderTest {
  readonly client: UpstreamClient;
  chat(baseUrl?: string): ChatAdapter;
  embeddings(baseUrl?: string): EmbeddingsAdapter;
  /** Of the model that repeats what it is told. */
  newRequest(words?: string, more?: object): TextRequest;
  newContext(facts?: { signal?: AbortSignal } & Partial<LiveCallContext['timeouts']>): LiveCallContext;
  complete(words?: string, more?: object): Promise<ChatCompletion>;
  stream(words?: string, more?: object): Promise<AsyncIterable<ChatChunk[]>>;
  /** The answer to the next chat goes wrong. */
  fault(fault: FaultInput): void;
}

const PATIENT = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };

export function setUpTextAdapter(name: string): TextAdapterUnderTest {
  let client: UpstreamClient;
  let outbound: OutboundGuard;
  const dispatcher = createProviderDispatcher();

  beforeAll(async () => {
    client = await startUpstream();
    outbound = createOutboundGuard({ allow: [] });
  });
  afterEach(() => client.upstream.clearFaults());
  afterAll(async () => {
    await dispatcher.destroy();
    await outbound.close();
    await client.upstream.close();
  });

  function connect(baseUrl: string) {
    const rows = [{ slug: 'vendor', adapter: name, baseUrl }];
    const credentials = () => ({ apiKey: UPSTREAM_KEY });
    const provider = createProviders({ rows, credentials, outbound, dispatcher }).get('vendor');
    if (provider?.chat === undefined || provider.embeddings === undefined)
      throw new Error(`${name} lacks one`);
    return { chat: provider.chat, embeddings: provider.embeddings };
  }

  return {
    get client() {
      return client;
    },
    chat: (baseUrl = client.baseUrl) => connect(baseUrl).chat,
    embeddings: (baseUrl = client.baseUrl) => connect(baseUrl).embeddings,
    newRequest: (words = 'A lighthouse', more = {}) => ({
      model: 'echo-1',
      messages: [{ role: 'user', content: words }],
      ...more,
    }),
    newContext: ({ signal = new AbortController().signal, ...timeouts } = {}) => ({
      signal,
      requestId: 'req_test',
      timeouts: { ...PATIENT, ...timeouts },
    }),
    complete(words, more) {
      return this.chat().complete(this.newRequest(words, more), this.newContext());
    },
    stream(words, more) {
      return this.chat().stream(this.newRequest(words, more), this.newContext());
    },
    fault: (fault) => client.upstream.addFaults(fault),
  };
}

/** Every chunk of a stream, until it ends or fails. */
export async function chunksOf(stream: AsyncIterable<ChatChunk[]>): Promise<ChatChunk[]> {
  const chunks: ChatChunk[] = [];
  for await (const batch of stream) chunks.push(...batch);
  return chunks;
}

/** What the chunks say, put together. */
export function wordsOf(chunks: ChatChunk[]): string {
  return chunks
    .flatMap(({ choices }) => choices.map(({ delta }) => delta.content))
    .filter((content) => typeof content === 'string')
    .join('');
}

/** The ProviderError that the work fails with. */
export async function failureOf(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ProviderError) return error;
  throw new Error('expected a ProviderError', { cause: error });
}
