import type { TextRequest } from '../../providers/chat-adapter.ts';
import type { DialectAdapter, DialectEvent, DialectObject } from '../../providers/dialect-adapter.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { modelOf, type ProviderUnderTest, setUpProvider } from './provider-under-test.ts';
import { startUpstream } from './upstream-client.ts';

/** A provider's adapter of Anthropic's dialect, connected to a vendor on this machine. */
export interface MessagesAdapterUnderTest extends Omit<ProviderUnderTest<VendorStandIn>, 'provider'> {
  toWire: MessagesVendor['toWire'];
  messages(baseUrl?: string): DialectAdapter;
  newRequest(words?: string, more?: object): TextRequest;
  create(words?: string, more?: object): Promise<DialectObject>;
  stream(words?: string, more?: object): Promise<AsyncIterable<DialectEvent[]>>;
}

/** The vendor of a suite: how it starts, and how it expects the fields of a request. */
export interface MessagesVendor {
  start(): Promise<VendorStandIn>;
  /** Returns the fields that arrive for a request without `stream`. */
  toWire(request: TextRequest): object;
}

const LOCAL_UPSTREAM: MessagesVendor = { start: startUpstream, toWire: (request) => request };

export function setUpMessagesAdapter(
  name: string,
  { start, toWire }: MessagesVendor = LOCAL_UPSTREAM,
): MessagesAdapterUnderTest {
  const vendor = setUpProvider(name, start);

  return {
    ...vendor,
    toWire,
    get client() {
      return vendor.client;
    },
    messages(baseUrl) {
      const { messages } = vendor.provider(baseUrl);
      if (messages === undefined) throw new Error(`${name} speaks another dialect`);
      return messages;
    },
    newRequest: (words = 'A lighthouse', more = {}) => ({
      model: modelOf(vendor.client),
      max_tokens: 100,
      messages: [{ role: 'user', content: words }],
      ...more,
    }),
    create(words, more) {
      return this.messages().create(this.newRequest(words, more), this.newContext());
    },
    stream(words, more) {
      return this.messages().stream(this.newRequest(words, more), this.newContext());
    },
  };
}

/** Every event of a stream, until it ends or fails. */
export async function eventsOf(stream: AsyncIterable<DialectEvent[]>): Promise<DialectEvent[]> {
  const events: DialectEvent[] = [];
  for await (const batch of stream) events.push(...batch);
  return events;
}

/** What the deltas of one kind say, put together. */
export function wordsIn(
  events: DialectEvent[],
  field: 'text' | 'thinking' | 'partial_json' = 'text',
): string {
  return events
    .map(({ delta }) => (delta as Record<string, unknown> | undefined)?.[field])
    .filter((piece) => typeof piece === 'string')
    .join('');
}
