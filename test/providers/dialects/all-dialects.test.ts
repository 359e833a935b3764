import { afterAll, expect, test } from '@jest/globals';
import { createProviderDispatcher } from '../../../providers/provider-connection.ts';
import { createProviders } from '../../../providers/registry.ts';

const dispatcher = createProviderDispatcher();
afterAll(() => dispatcher.close());

function providerOf(adapter: string) {
  const rows = [{ slug: 'vendor', adapter, baseUrl: 'https://api.example.com' }];
  const outbound = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
  return createProviders({ rows, credentials: () => ({ apiKey: 'k' }), outbound, dispatcher }).get('vendor')!;
}

test.each(['anthropic', 'azure', 'openai', 'openai-compatible'])(
  'a provider with the adapter %s serves chat, messages and responses',
  (adapter) => {
    const { chat, messages, responses } = providerOf(adapter);
    expect([chat, messages, responses]).not.toContain(undefined);
  },
);

test('a provider without chat serves no dialect', () => {
  const { chat, messages, responses } = providerOf('cohere');
  expect([chat, messages, responses]).toEqual([undefined, undefined, undefined]);
});
