/** Checks that pictures for operations other than chat have a registered type. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import type { Provider } from '../../providers/provider.ts';
import { createProviders } from '../../providers/registry.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import { freeAnswer } from '../support/free-answer.ts';
import { sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';
import { failureOf } from './text-adapter-under-test.ts';

const JPG = 'data:image/jpg;base64,AAAA';
const JPEG = 'data:image/jpeg;base64,AAAA';
const TIMEOUTS = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };
const part = { type: 'image_url', image_url: { url: JPG } };
const pictured = { model: 'm', input: [{ content: [part] }] };

const dispatcher = createProviderDispatcher();
let vendor: VendorServer;

beforeAll(async () => {
  vendor = await startVendorServer((_, response) => sendJson(response, 400, {}));
});
afterAll(async () => {
  await dispatcher.destroy();
  await vendor.close();
});

type Ask = (provider: Provider, context: LiveCallContext) => Promise<unknown>;

const ASKS: [operation: string, adapter: string, ask: Ask][] = [
  ['embeddings', 'openai-compatible', ({ embeddings }, context) => embeddings!.embed(pictured, context)],
  ['embeddings', 'cohere', ({ embeddings }, context) => embeddings!.embed(pictured, context)],
  [
    'rerank',
    'openai-compatible',
    ({ rerank }, context) => rerank!.rerank({ model: 'm', query: 'q', documents: [{ image: JPG }] }, context),
  ],
  [
    'images',
    'openai',
    ({ image }, context) =>
      image!.generate({ model: 'm', prompt: 'p', n: 1, references: [JPG], outputFormat: 'png' }, context),
  ],
];

test.each(ASKS)('a JPEG for %s of %s is sent with its registered type', async (_, adapter, ask) => {
  const rows = [{ slug: 'vendor', adapter, baseUrl: vendor.baseUrl }];
  const outbound = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
  const provider = createProviders({ rows, credentials: () => ({ apiKey: 'k' }), outbound, dispatcher });
  const { signal } = new AbortController();
  const context = { signal, requestId: 'r', timeouts: TIMEOUTS, answer: freeAnswer() };
  await failureOf(ask(provider.get('vendor')!, context));
  expect(vendor.calls.at(-1)!.body).toContain(JPEG);
  expect(vendor.calls.at(-1)!.body).not.toContain(JPG);
});
