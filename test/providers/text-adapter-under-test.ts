import { ProviderError } from '../../domain/provider-error.ts';
import type { ChatAdapter, ChatChunk, ChatCompletion, TextRequest } from '../../providers/chat-adapter.ts';
import type { EmbeddingsAdapter } from '../../providers/embeddings-adapter.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { modelOf, type ProviderUnderTest, setUpProvider } from './provider-under-test.ts';
import { startUpstream, type UpstreamClient } from './upstream-client.ts';

/** A provider's text adapters, connected to a vendor on this machine that lives as long as the test file. */
export interface TextAdapterUnderTest<Client extends VendorStandIn = UpstreamClient> extends Omit<
  ProviderUnderTest<Client>,
  'provider'
> {
  /** A whole answer and a whole stream on the vendor's wire. */
  bodies: { whole: string; stream: string };
  chat(baseUrl?: string): ChatAdapter;
  embeddings(baseUrl?: string): EmbeddingsAdapter;
  /** Of the model that repeats what it is told. */
  newRequest(words?: string, more?: object): TextRequest;
  complete(words?: string, more?: object): Promise<ChatCompletion>;
  stream(words?: string, more?: object): Promise<AsyncIterable<ChatChunk[]>>;
}

/** The vendor of a suite: how it starts, and answers on its wire. */
export type TextVendor<Client extends VendorStandIn> = { start: () => Promise<Client> } & Pick<
  TextAdapterUnderTest<Client>,
  'bodies'
>;

export const LOCAL_UPSTREAM: TextVendor<UpstreamClient> = {
  start: startUpstream,
  bodies: {
    whole: '{"id":"x","choices":[{"message":{"role":"assistant","content":"y"}}]}',
    stream:
      'data: {"choices":[{"index":0,"delta":{"content":"y"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  },
};

export function setUpTextAdapter(name: string): TextAdapterUnderTest;
export function setUpTextAdapter<Client extends VendorStandIn>(
  name: string,
  vendor: TextVendor<Client>,
): TextAdapterUnderTest<Client>;
export function setUpTextAdapter(
  name: string,
  { start, bodies }: TextVendor<VendorStandIn> = LOCAL_UPSTREAM,
): TextAdapterUnderTest<VendorStandIn> {
  const vendor = setUpProvider(name, start);

  function connect<Ability extends 'chat' | 'embeddings'>(ability: Ability, baseUrl?: string) {
    const { [ability]: adapter } = vendor.provider(baseUrl);
    if (adapter === undefined) throw new Error(`${name} has no ${ability}`);
    return adapter;
  }

  return {
    ...vendor,
    bodies,
    get client() {
      return vendor.client;
    },
    chat: (baseUrl) => connect('chat', baseUrl),
    embeddings: (baseUrl) => connect('embeddings', baseUrl),
    newRequest: (words = 'A lighthouse', more = {}) => ({
      model: modelOf(vendor.client),
      messages: [{ role: 'user', content: words }],
      ...more,
    }),
    complete(words, more) {
      return this.chat().complete(this.newRequest(words, more), this.newContext());
    },
    stream(words, more) {
      return this.chat().stream(this.newRequest(words, more), this.newContext());
    },
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
