/** Compares the throughput and delay of chats with a bare proxy, and of customers' own endpoints with shared ones. */
import { addKey, addOrganization } from '../../test/support/accounts.ts';
import { addCredential, addPrivateEndpoint } from '../../test/support/own-resources.ts';
import { rawRequest, startMeasuredGateway } from '../gateway-process.ts';
import { createComparison, type Pair } from '../live/comparison.ts';
import { startBareProxy } from '../live/processes.ts';

/** The seconds of one round, and the pairs of rounds for each row. */
const [seconds = 4, rounds = 5] = process.argv.slice(2).map(Number);
const MESSAGES = [{ role: 'user', content: 'Say what you always say.' }];

const gateway = await startMeasuredGateway();
const bare = await startBareProxy(gateway.upstream);
const comparison = createComparison({ seconds, rounds, referenceName: 'bare Koa + undici' });

const pairOf = (name: string, connections: number, stream: boolean): Pair => {
  const bodyFor = (model: string) => ({ model, messages: MESSAGES, ...(stream ? { stream } : {}) });
  const toProduct = rawRequest('/api/v1/chat/completions', gateway.apiKey, bodyFor('local/chat-canned'));
  const toBare = rawRequest('/chat/completions', gateway.apiKey, bodyFor('chat-canned'));
  return {
    name,
    connections,
    product: { origin: gateway.origin, pid: gateway.pid, request: toProduct },
    reference: { ...bare, request: toBare },
  };
};

await comparison.throughput(pairOf('chat, 32 connections', 32, false), 0.55);
await comparison.throughput(pairOf('chat, 128 connections', 128, false), 0.7);
await comparison.throughput(pairOf('chat streamed, 32 connections', 32, true), 0.8);
await comparison.throughput(pairOf('chat streamed, 128 connections', 128, true), 0.8);
await comparison.delay(pairOf('whole answer', 32, false));
await comparison.delay(pairOf('streamed', 32, true));
process.stdout.write(`\n${comparison.render()}\n`);

// The next rows compare customers' own endpoints and keys with the catalog's endpoint, in the same process.
const own = createComparison({ seconds, rounds, referenceName: 'catalog endpoint' });
const model = 'local/chat-canned';
const { origin: upstreamOrigin } = new URL(gateway.upstream.baseUrl);
const place = { base_url: gateway.upstream.baseUrl, origin: upstreamOrigin };

async function createOwnRequest(kind: 'private endpoint' | 'own key'): Promise<Buffer> {
  const owner = await addOrganization(gateway);
  const { token } = await addKey(gateway, owner);
  const customer = { ...gateway, ...owner };
  const provider_slug = kind === 'own key' ? 'local' : 'openai-compatible';
  await addCredential(customer, gateway.upstream.apiKey, { ...place, provider_slug });
  if (kind === 'private endpoint') {
    await addPrivateEndpoint(customer, place.base_url, {
      model_id: model,
      upstream_model_id: 'chat-canned',
    });
  }
  return rawRequest('/api/v1/chat/completions', token, { model, messages: MESSAGES });
}

const shared = rawRequest('/api/v1/chat/completions', gateway.apiKey, { model, messages: MESSAGES });
for (const kind of ['private endpoint', 'own key'] as const) {
  const { origin, pid } = gateway;
  const pair: Pair = {
    name: `${kind}, 32 connections`,
    connections: 32,
    product: { origin, pid, request: await createOwnRequest(kind) },
    reference: { origin, pid, request: shared },
  };
  await own.throughput(pair, 0.95);
  await own.delay({ ...pair, name: kind });
}

await bare.close();
await gateway.close();
process.stdout.write(`\n${own.render()}\n`);
