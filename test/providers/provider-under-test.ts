import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { createOutboundGuard, type OutboundGuard } from '../../platform/outbound-guard.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { type Provider, providerFor } from '../../providers/provider.ts';
import { createProviders } from '../../providers/registry.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { startUpstream, UPSTREAM_KEY, type UpstreamClient } from './upstream-client.ts';
import { freeAnswer } from '../support/free-answer.ts';

/** A provider, connected to a vendor on this machine that lives as long as the test file. */
export interface ProviderUnderTest<Client extends VendorStandIn = UpstreamClient> {
  readonly client: Client;
  /** At the local upstream with its credential, unless they are others. */
  provider(baseUrl?: string, apiKey?: string): Provider;
  newContext(
    facts?: { signal?: AbortSignal; requestId?: string } & Partial<LiveCallContext['timeouts']>,
  ): LiveCallContext;
  /** The answer to the next request goes wrong. */
  fault(fault: FaultInput): void;
}

/** Returns the model that the suites of text ask for. */
export function modelOf({ model = 'echo-1' }: VendorStandIn): string {
  return model;
}

const PATIENT = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };

export function setUpProvider(name: string): ProviderUnderTest;
export function setUpProvider<Client extends VendorStandIn>(
  name: string,
  start: () => Promise<Client>,
): ProviderUnderTest<Client>;
export function setUpProvider(
  name: string,
  start: () => Promise<VendorStandIn> = startUpstream,
): ProviderUnderTest<VendorStandIn> {
  let client: VendorStandIn;
  let outbound: OutboundGuard;
  const dispatcher = createProviderDispatcher();

  beforeAll(async () => {
    client = await start();
    outbound = createOutboundGuard({ allow: ['127.0.0.0/8'] });
  });
  afterEach(() => client.upstream.clearFaults());
  afterAll(async () => {
    await dispatcher.destroy();
    await outbound.close();
    await client.upstream.close();
  });

  return {
    get client() {
      return client;
    },
    provider(
      baseUrl = name === 'azure' ? client.url : client.baseUrl,
      apiKey = client.credential ?? UPSTREAM_KEY,
    ) {
      const rows = [{ slug: 'vendor', adapter: name, baseUrl }];
      const providers = createProviders({ rows, credentials: () => ({ apiKey }), outbound, dispatcher });
      return providerFor(providers.get('vendor')!, modelOf(client));
    },
    newContext: ({ signal = new AbortController().signal, requestId = 'req_test', ...timeouts } = {}) => ({
      signal,
      requestId,
      timeouts: { ...PATIENT, ...timeouts },
      answer: freeAnswer(true),
    }),
    fault: (fault) => client.upstream.addFaults(fault),
  };
}
