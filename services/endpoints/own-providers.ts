/** Builds and caches the adapters that call upstreams with a customer's own address or credential. */
import { LRUCache } from 'lru-cache';
import type { Encryption } from '../../platform/encryption.ts';
import type { Logger } from '../../platform/logger.ts';
import type { OutboundGuard } from '../../platform/outbound-guard.ts';
import type { Provider } from '../../providers/provider.ts';
import { scrubVendorText } from '../../providers/public-message.ts';
import { createCustomerDispatcher, createProviderDispatcher } from '../../providers/provider-connection.ts';
import { DEFAULT_TIMEOUTS, type ProviderTimeouts } from '../../providers/provider-settings.ts';
import { createProvider, type ProvidersOptions } from '../../providers/registry.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { OwnConnection } from '../../domain/endpoints/own-access.ts';
import { originOf } from './origin-of.ts';
import { createSecretOpener, versionOf } from './secret-opener.ts';

/**
 * The reason why an upstream of a customer cannot be called, by the names that the checks of a private endpoint use.
 */
export type OwnFailure = 'provider_not_found' | 'invalid_base_url' | 'no_byok_key' | 'key_decryption_failed';

export type OwnProvider =
  | {
      provider: Provider;
      /** Returns a text of the upstream without the secret that was sent to it, without links, and shortened. */
      scrub(text: string): string;
    }
  | { failure: OwnFailure };

export interface OwnProvidersOptions {
  catalog: Pick<Catalog, 'providers'>;
  /** Returns the operator's configuration, in which an address is the vendor's own. Its keys are not used. */
  credentials: ProvidersOptions['credentials'];
  encryption: Pick<Encryption, 'open'>;
  guard: Pick<OutboundGuard, 'checkUrl' | 'connect' | 'media'>;
  timeouts?: Partial<ProviderTimeouts>;
  logger: Pick<Logger, 'warn'>;
}

const MAX_ADAPTERS = 5_000;
/**
 * The time after which an unused adapter is dropped with its secret. The secret of a deleted credential is dropped in
 * the same way.
 */
const UNUSED_MS = 60_000;
const PURGE_EVERY_MS = 30_000;

interface BuildingParts {
  options: OwnProvidersOptions;
  rowOf: ReturnType<typeof rowsBySlug>;
  secrets: ReturnType<typeof createSecretOpener>;
  /** The dispatcher for URLs that customers gave. */
  guarded: ReturnType<typeof createCustomerDispatcher>;
  trusted: ReturnType<typeof createProviderDispatcher>;
  timeouts: typeof DEFAULT_TIMEOUTS;
}

/**
 * Holds the adapters for customers' endpoints and keys. A secret is decrypted once per version, and is sent only to
 * its origin.
 */
export function createOwnProviders(options: OwnProvidersOptions) {
  const { catalog, guard } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const guarded = createCustomerDispatcher(guard.connect);
  const trusted = createProviderDispatcher();
  const built = new LRUCache<string, OwnProvider>({
    max: MAX_ADAPTERS,
    ttl: UNUSED_MS,
    updateAgeOnGet: true,
  });
  const rowOf = rowsBySlug(catalog);

  const { encryption, logger } = options;
  const secrets = createSecretOpener({ encryption, logger, max: MAX_ADAPTERS, unusedMs: UNUSED_MS });
  const parts: BuildingParts = { options, rowOf, secrets, trusted, guarded, timeouts };
  const purge = setInterval(() => {
    built.purgeStale();
    secrets.purge();
  }, PURGE_EVERY_MS).unref();

  return {
    of(connection: OwnConnection): OwnProvider {
      const { providerSlug: slug, baseUrl, credential } = connection;
      const row = rowOf(slug);
      const key = JSON.stringify([
        slug,
        row?.adapter,
        row?.baseUrl,
        baseUrl,
        credential && versionOf(credential),
      ]);
      const known = built.get(key);
      if (known !== undefined) return known;
      const made = build(parts, connection);
      built.set(key, made);
      return made;
    },
    /** Returns the origin of the address that this deployment has for a vendor; null when it has none. */
    vendorOrigin: (slug: string): string | null => vendorOrigin(parts, slug),
    async close(): Promise<void> {
      clearInterval(purge);
      await Promise.all([guarded.close(), trusted.close()]);
    },
  };
}

export type OwnProviders = ReturnType<typeof createOwnProviders>;

function vendorUrlOf(parts: BuildingParts, slug: string): string | null {
  return parts.options.credentials(slug).baseUrl ?? parts.rowOf(slug)?.baseUrl ?? null;
}

function vendorOrigin(parts: BuildingParts, slug: string): string | null {
  const url = vendorUrlOf(parts, slug);
  return url === null ? null : originOf(url);
}

function build(parts: BuildingParts, connection: OwnConnection): OwnProvider {
  const { providerSlug: slug, credential } = connection;
  const row = parts.rowOf(slug);
  if (row === undefined) return { failure: 'provider_not_found' };
  const secret = credential === null ? null : parts.secrets.open(row.adapter, credential);
  if (secret === undefined) return { failure: 'key_decryption_failed' };
  const named = connection.baseUrl ?? secret?.baseUrl ?? null;
  const baseUrl = named ?? vendorUrlOf(parts, slug);
  if (baseUrl === null || (named !== null && !accepts(parts.options.guard, named)))
    return { failure: 'invalid_base_url' };
  const bound = credential === null ? null : (credential.origin ?? vendorOrigin(parts, slug));
  if (credential !== null && bound !== originOf(baseUrl)) return { failure: 'no_byok_key' };
  const provider = createProvider(row.adapter, {
    slug,
    baseUrl,
    apiKey: secret?.apiKey,
    apiVersion: secret?.apiVersion,
    dispatcher: named === null ? parts.trusted : parts.guarded,
    outbound: parts.options.guard.media,
    timeouts: parts.timeouts,
  });
  if (provider === undefined) return { failure: 'provider_not_found' };
  return { provider, scrub: (text) => scrubVendorText(text, secret?.secrets ?? [secret?.apiKey]) };
}

type Row = ReturnType<Catalog['providers']>[number];

/** Returns a function that finds the row of a provider. The map of rows is rebuilt when the catalog was read again. */
function rowsBySlug(catalog: Pick<Catalog, 'providers'>): (slug: string) => Row | undefined {
  let rows: readonly Row[] | undefined;
  let bySlug = new Map<string, Row>();
  return (slug) => {
    const current = catalog.providers();
    if (current !== rows) {
      rows = current;
      bySlug = new Map(current.map((row) => [row.slug, row]));
    }
    return bySlug.get(slug);
  };
}

/** Returns whether outbound requests may go to the URL. */
export function accepts(guard: Pick<OutboundGuard, 'checkUrl'>, url: string): boolean {
  try {
    guard.checkUrl(url);
    return true;
  } catch {
    return false;
  }
}
