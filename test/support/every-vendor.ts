/** Lists what every shipped vendor can do, and starts a stand-in for each of them. */
import { type CatalogFile, bundledCatalogs } from '../../providers/catalog-file.ts';
import { compatibleVendor } from '../../providers/openai-compatible/vendors.ts';
import type { Provider } from '../../providers/provider.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { DEFAULT_TIMEOUTS } from '../../providers/provider-settings.ts';
import { createProvider } from '../../providers/registry.ts';
import { startFalUpstream } from '../providers/fal-upstream.ts';
import { startGeminiUpstream, startVertexUpstream } from '../providers/google/upstream.ts';
import { startReplicateUpstream } from '../providers/replicate-upstream.ts';
import { startStrictVendor, WIRES } from '../providers/strict-vendor.ts';
import { startUpstream, UPSTREAM_KEY } from '../providers/upstream-client.ts';
import { AWS_KEYS, sayHello, startBedrockCloud } from './bedrock-cloud.ts';
import { sendJson } from './vendor-server.ts';
import { startVectorsVendors, VECTORS_KEY } from './vectors-vendors.ts';

const ABILITIES = ['chat', 'embeddings', 'rerank', 'image', 'speech', 'video'] as const;
export type Ability = (typeof ABILITIES)[number];

/** One thing that a vendor can do. */
export interface VendorAbility {
  slug: string;
  adapter: string;
  ability: Ability;
  /** The first endpoint of the catalog for it; absent if the catalog has no such model of the vendor. */
  live?: CatalogFile['liveEndpoints'][number] | undefined;
  video?: CatalogFile['endpoints'][number] | undefined;
}

/** Returns what the adapters of all shipped vendors can do. */
export function vendorAbilities(): VendorAbility[] {
  return bundledCatalogs().flatMap(({ providers, endpoints, liveEndpoints }) =>
    providers.flatMap(({ slug, adapter }) => {
      const provider = providerOf(slug, adapter);
      return ABILITIES.filter((ability) => provider[ability] !== undefined).map((ability) => ({
        slug,
        adapter,
        ability,
        live: liveEndpoints.find((each) => each.providerSlug === slug && each.capability === ability),
        video: ability === 'video' ? endpoints.find((each) => each.providerSlug === slug) : undefined,
      }));
    }),
  );
}

/** Credentials of vendors that need more than a key. */
const CREDENTIALS: Record<string, string> = {
  bedrock: JSON.stringify(AWS_KEYS),
  'google-vertex': '{"source":"environment","project_id":"p1"}',
};

function providerOf(slug: string, adapter: string): Provider {
  const provider = createProvider(adapter, {
    slug,
    baseUrl: 'http://127.0.0.1:1/v1',
    apiKey: CREDENTIALS[adapter] ?? 'k',
    webhookSecret: undefined,
    dispatcher: createProviderDispatcher(),
    outbound: { fetch: () => Promise.reject(new Error('nothing is fetched here')) },
    timeouts: DEFAULT_TIMEOUTS,
  });
  if (provider === undefined) throw new Error(`${slug} has no adapter ${adapter}`);
  return provider;
}

/** A server that plays a vendor. */
export interface StandIn {
  baseUrl: string;
  apiKey?: string;
  /** True: the local upstream, which knows only its own models. */
  isLocal?: true;
  /** The tokens of each answer, if they are always the same. */
  counts?: { tokens_prompt: number; tokens_completion?: number };
}

export interface StandIns {
  /** Throws for an adapter that has no stand-in. */
  of(vendor: VendorAbility): StandIn;
  /** Makes the stand-in of the vendors without an adapter refuse what this one refuses. */
  playVendor(slug: string): void;
  close(): Promise<void>;
}

/** Starts the stand-ins of all adapters. */
export async function startStandIns(): Promise<StandIns> {
  const [upstream, strict, gemini, vertex, fal, replicate, bedrock, vectors] = await Promise.all([
    startUpstream(),
    startStrictVendor(),
    startGeminiUpstream(),
    startVertexUpstream(),
    startFalUpstream(),
    startReplicateUpstream(),
    startBedrock(),
    startVectorsVendors(),
  ]);
  const keyed = ({ baseUrl }: { baseUrl: string }): StandIn => ({ baseUrl, apiKey: UPSTREAM_KEY });
  const local = (baseUrl = upstream.baseUrl): StandIn => ({ ...keyed({ baseUrl }), isLocal: true });
  const row = ({ slug, ability }: VendorAbility): StandIn => ({
    baseUrl: `${strict.origin}${WIRES[slug]?.path.replace(/\/chat\/completions$/, '')}`,
    ...(compatibleVendor(slug)?.ownServer !== true && { apiKey: 'sk-vendor' }),
    counts: { tokens_prompt: 3, ...(ability === 'chat' && { tokens_completion: 1 }) },
  });
  const vectorsAt = (path: string): StandIn => ({ baseUrl: vectors.origin + path, apiKey: VECTORS_KEY });
  const byAdapter: Record<string, (vendor: VendorAbility) => StandIn> = {
    anthropic: () => local(),
    azure: () => local(upstream.url),
    bedrock: () => ({ baseUrl: bedrock.origin, apiKey: JSON.stringify(AWS_KEYS) }),
    cohere: () => vectorsAt('/cohere/v2'),
    'compatible-server': row,
    'compatible-vendor': row,
    fal: () => keyed(fal),
    google: () => keyed(gemini),
    'google-vertex': () => ({ baseUrl: vertex.baseUrl, apiKey: vertex.tokens.serviceAccount() }),
    jina: () => vectorsAt('/jina/v1'),
    local: () => local(),
    openai: () => local(),
    'openai-compatible': () => local(),
    replicate: () => keyed(replicate),
    voyage: () => vectorsAt('/voyage/v1'),
  };
  return {
    of(vendor) {
      const standIn = byAdapter[vendor.adapter];
      if (standIn === undefined) throw new Error(`there is no stand-in for the adapter ${vendor.adapter}`);
      return standIn(vendor);
    },
    playVendor: (slug) => void (strict.wire = WIRES[slug] ?? strict.wire),
    async close() {
      const clouds = [upstream, gemini, vertex, fal, replicate].map((each) => each.upstream);
      await Promise.all([...clouds, strict, bedrock, vectors].map((each) => each.close()));
    },
  };
}

/** Starts Bedrock with the answers of Converse, of Titan's embeddings and of Amazon's rankings. */
async function startBedrock() {
  const cloud = await startBedrockCloud();
  cloud.answer = (call, response) => {
    const { operation, body } = call;
    if (operation !== 'invoke') sayHello(call, response);
    else if ('inputText' in body) sendJson(response, 200, { embedding: [0.5, 0.25], inputTextTokenCount: 3 });
    else sendJson(response, 200, { results: [{ index: 0, relevance_score: 0.5 }] });
  };
  return cloud;
}
