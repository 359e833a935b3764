/** Lists the providers of the catalog, and calls those that are configured, for `admin providers`. */
import { createCatalogStore, type CatalogRows, type ProviderRow } from '../db/catalog/catalog-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { mayBringAddress } from '../domain/endpoints/credential-key.ts';
import { createOutboundGuard } from '../platform/outbound-guard.ts';
import { type ProviderConfig, providerVariableName } from '../platform/provider-variables.ts';
import type { Provider } from '../providers/provider.ts';
import { createProviderDispatcher } from '../providers/provider-connection.ts';
import { createProviders } from '../providers/registry.ts';
import { createIsRoutable } from '../services/catalog/is-routable.ts';
import { requireCredentials } from '../services/catalog/require-credentials.ts';
import { tryProviders, type TriedProvider } from '../services/catalog/try-providers.ts';
import { AdminUsageError, pickVerb, positionalsOf, type Report, requireNone } from './arguments.ts';
import { formatTable } from './table.ts';

export const PROVIDERS_USAGE = `providers list
providers test [SLUG] [MODEL]`;

interface ProviderTools {
  /** Returns the ranges of addresses that outbound requests may reach besides public ones. */
  allow(): readonly string[];
  /** Returns a provider's credentials by its slug. */
  credentials(slug: string): ProviderConfig;
}

/** Runs `admin providers …`. It is done if every vendor that was called answered. */
export async function runProviders(knex: Handle, args: string[], tools: ProviderTools): Promise<Report> {
  const [verb, rest] = pickVerb('providers', ['list', 'test'], args);
  requireCredentials(tools.credentials);
  const rows = await createCatalogStore(knex).load();
  const outbound = createOutboundGuard({ allow: [...tools.allow()] });
  const dispatcher = createProviderDispatcher();
  try {
    const { credentials } = tools;
    const providers = createProviders({ rows: rows.providers, credentials, outbound, dispatcher });
    if (verb === 'test') return await testProviders(rows, providers, rest, tools);
    requireNone(rest);
    return { text: listProviders(rows, providers, tools), isDone: true };
  } finally {
    await dispatcher.close();
    await outbound.close();
  }
}

const ABILITIES = ['chat', 'embeddings', 'rerank', 'image', 'speech', 'video'] as const;

function listProviders(
  { providers: rows, endpoints, liveEndpoints }: CatalogRows,
  providers: ReadonlyMap<string, Provider>,
  { credentials }: ProviderTools,
): string {
  const isRoutable = createIsRoutable(credentials);
  const served = [...endpoints, ...liveEndpoints];
  const table = rows
    .map((row) => {
      const provider = providers.get(row.slug);
      const able =
        provider === undefined ? [] : ABILITIES.filter((ability) => provider[ability] !== undefined);
      const models = served.filter(({ providerSlug }) => providerSlug === row.slug).length;
      const state = isRoutable(row.slug, row) ? 'configured' : `set ${missingVariable(row)}`;
      return [row.slug, row.name, state, able.join(' '), String(models)];
    })
    .toSorted((a, b) => (a[0] ?? '').localeCompare(b[0] ?? ''));
  return formatTable(['slug', 'name', 'state', 'able', 'endpoints'], table);
}

/** Returns the variable that an operator sets first to use a provider. */
function missingVariable({ slug, adapter, baseUrl }: ProviderRow): string {
  const needsAddress = baseUrl === null && !mayBringAddress(adapter);
  return `PROVIDER_${providerVariableName(slug)}_${needsAddress ? 'BASE_URL' : 'API_KEY'}`;
}

async function testProviders(
  rows: CatalogRows,
  providers: ReadonlyMap<string, Provider>,
  args: string[],
  { credentials }: ProviderTools,
): Promise<Report> {
  const [slug, model] = positionalsOf('providers', ['[SLUG]', '[MODEL]'], args);
  const slugs = new Set(chooseProviders(rows.providers, slug, createIsRoutable(credentials)));
  const liveEndpoints = rows.liveEndpoints.filter(
    ({ providerSlug, modelId }) => slugs.has(providerSlug) && (model === undefined || modelId === model),
  );
  if (model !== undefined && liveEndpoints.length === 0) {
    throw new AdminUsageError(`${slug} has no model ${model} in the catalog`);
  }
  const chosen = new Map([...providers].filter(([name]) => slugs.has(name)));
  const tried = await tryProviders(chosen, { liveEndpoints });
  const table = tried.map((one) => [one.slug, one.model ?? '', resultOf(one)]);
  return {
    text: formatTable(['slug', 'model', 'result'], table),
    isDone: tried.every(({ problem }) => problem === undefined),
  };
}

/** Returns the slugs of the configured providers, or only the named one. */
function chooseProviders(
  rows: readonly ProviderRow[],
  slug: string | undefined,
  isRoutable: ReturnType<typeof createIsRoutable>,
): string[] {
  if (slug === undefined) {
    const configured = rows.filter((row) => isRoutable(row.slug, row));
    if (configured.length > 0) return configured.map((row) => row.slug);
    throw new AdminUsageError(
      'No provider is configured. This says what to set: npm run admin -- providers list',
    );
  }
  const row = rows.find((one) => one.slug === slug);
  if (row === undefined) {
    throw new AdminUsageError(
      `There is no provider ${slug}. This lists all: npm run admin -- providers list`,
    );
  }
  if (isRoutable(slug, row)) return [slug];
  throw new AdminUsageError(
    `${slug} is not configured. Set ${missingVariable(row)} here too: commands read the environment of their own terminal`,
  );
}

function resultOf({ model, ms, problem }: TriedProvider): string {
  if (ms === undefined) return 'not called: it has no chat, embeddings or rerank in the catalog';
  const answered = `answered in ${Math.round(ms)} ms`;
  return problem ?? (model === undefined ? `takes the key: ${answered}` : answered);
}
