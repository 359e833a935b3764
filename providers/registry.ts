/** Creates the providers of the catalog, each with the adapter that its row names. */
import type { Dispatcher } from 'undici';
import { createAnthropicProvider } from './anthropic/anthropic-provider.ts';
import { createAzureProvider } from './azure/azure-provider.ts';
import { createBedrockProvider } from './bedrock/bedrock-provider.ts';
import { createCohereProvider } from './cohere/cohere-provider.ts';
import { addressOf } from './credentials.ts';
import { withAllDialects } from './dialects/all-dialects.ts';
import { createFalProvider } from './fal/fal-provider.ts';
import { createGoogleProvider } from './google/google-provider.ts';
import { createVertexProvider } from './google/vertex/vertex-provider.ts';
import { createJinaProvider, createVoyageProvider } from './jina/jina-provider.ts';
import { createLocalProvider } from './local/local-provider.ts';
import { createOpenAiProvider } from './openai/openai-provider.ts';
import { createCompatibleVendor } from './openai-compatible/compatible-vendor.ts';
import { createOpenAiCompatibleProvider } from './openai-compatible/openai-compatible-provider.ts';
import type { Provider } from './provider.ts';
import { createProviderDispatcher } from './provider-connection.ts';
import { DEFAULT_TIMEOUTS, type ProviderSettings, type ProviderTimeouts } from './provider-settings.ts';
import type { OutboundFetch } from './reference-media.ts';
import { createReplicateProvider } from './replicate/replicate-provider.ts';

/** All adapters by their names in catalog rows. A new vendor is a folder and a line here. */
const ADAPTERS: Record<string, (settings: ProviderSettings) => Provider> = {
  anthropic: createAnthropicProvider,
  azure: createAzureProvider,
  bedrock: createBedrockProvider,
  cohere: createCohereProvider,
  fal: createFalProvider,
  'compatible-server': createCompatibleVendor,
  'compatible-vendor': createCompatibleVendor,
  google: createGoogleProvider,
  'google-vertex': createVertexProvider,
  jina: createJinaProvider,
  local: createLocalProvider,
  openai: createOpenAiProvider,
  'openai-compatible': createOpenAiCompatibleProvider,
  replicate: createReplicateProvider,
  voyage: createVoyageProvider,
};

/**
 * Adapters that work without a credential: an operator's own server, such as Ollama's, may need none; a vendor always
 * does.
 */
const KEYLESS = new Set(['compatible-server', 'local', 'openai-compatible']);

/** Returns whether an adapter needs a credential. */
export function needsKey(adapter: string): boolean {
  return !KEYLESS.has(adapter);
}

/** Returns whether this version has the adapter. */
export function isAdapter(name: string): boolean {
  return Object.hasOwn(ADAPTERS, name);
}

/**
 * Builds the adapter of this name, which serves every dialect if it serves chat. Returns undefined for an adapter that
 * this version does not have.
 */
export function createProvider(adapter: string, settings: ProviderSettings): Provider | undefined {
  const provider = ADAPTERS[adapter]?.(settings);
  return provider && withAllDialects(provider);
}

export interface ProvidersOptions {
  /** The catalog's provider rows. */
  rows: readonly { slug: string; adapter: string; baseUrl: string | null }[];
  /** The credentials from the configuration. Its base URL takes precedence over the row's. */
  credentials(slug: string): { apiKey?: string; baseUrl?: string; webhookSecret?: string };
  outbound: OutboundFetch;
  /** Absent: new connections. The caller closes a dispatcher that it passes. */
  dispatcher?: Dispatcher;
  timeouts?: Partial<ProviderTimeouts>;
}

/**
 * Creates the callable providers, by slug. A row without any base URL, or with an adapter that this version lacks, is
 * left out: its endpoints are not routable. The same holds for
 * a credential that breaks a rule of its vendor.
 */
export function createProviders(options: ProvidersOptions): Map<string, Provider> {
  const { outbound, dispatcher = createProviderDispatcher() } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const providers = new Map<string, Provider>();
  for (const { slug, adapter, baseUrl: rowBaseUrl } of options.rows) {
    const { apiKey, webhookSecret, baseUrl: ofConfiguration } = options.credentials(slug);
    const baseUrl = addressOf(adapter, apiKey, ofConfiguration ?? rowBaseUrl);
    if (baseUrl === null) continue;
    const settings = { slug, baseUrl, apiKey, webhookSecret, dispatcher, outbound, timeouts };
    const provider = createProvider(adapter, settings);
    if (provider !== undefined) providers.set(slug, provider);
  }
  return providers;
}
