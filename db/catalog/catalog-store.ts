/** Loads the whole catalog of models, providers and endpoints, and writes imports of it. */
import type { LiveEndpoint, VideoEndpoint } from '../../domain/catalog/catalog.ts';
import {
  type CatalogSource,
  type EndpointColumns,
  fromEndpoint,
  isLive,
  type ModelColumns,
  type ModelRow,
  type ProviderColumns,
  type ProviderRow,
  toEndpoint,
  toModel,
  toProvider,
} from './catalog-rows.ts';
import type { Handle } from '../postgres/connection.ts';
import { oneRow } from '../postgres/results.ts';
import { json, type RowOf } from '../postgres/shape.ts';
import { run } from '../postgres/statement.ts';

export type { CatalogSource, ModelRow, ProviderRow } from './catalog-rows.ts';

export interface CatalogRows {
  providers: ProviderRow[];
  models: ModelRow[];
  /** Endpoints that make videos. */
  endpoints: VideoEndpoint[];
  liveEndpoints: LiveEndpoint[];
  /** Video endpoints that take no new jobs. */
  retiredEndpoints: VideoEndpoint[];
}

/** The catalog with disabled endpoints and the source of each row. */
export interface SourcedCatalog {
  providers: { provider: ProviderRow; source: CatalogSource }[];
  models: { model: ModelRow; source: CatalogSource }[];
  endpoints: { endpoint: VideoEndpoint | LiveEndpoint; enabled: boolean; source: CatalogSource }[];
}

/** An arbitrary number for the lock that allows one import at a time. */
const IMPORT_LOCK = 6_205_117;

/**
 * Stores the catalog as rows. Processes read it as a whole, and repeatable imports write it. Unchanged rows are not
 * written, so that processes do not reload their catalog needlessly.
 *
 * @param source The source that is written. Imported rows are overwritten only by imports.
 * @param replacesUpdatesBefore Bundled rows overwrite updated ones that were written before this day.
 */
export function createCatalogStore(
  handle: Handle,
  source: CatalogSource = 'bundled',
  replacesUpdatesBefore: string | null = null,
) {
  const upsert = (table: string, key: string, row: Row): Promise<void> =>
    upsertRow(handle, table, { key, row, replacesUpdatesBefore });
  return {
    ...catalogReads(handle),

    /**
     * Makes other imports wait until the commit. Two endpoints may exchange places, so the uniqueness of places is
     * checked at the commit.
     */
    async lockForImport(): Promise<void> {
      await run(handle, `select pg_advisory_xact_lock(${IMPORT_LOCK})`);
      await run(handle, 'set constraints endpoints_place deferred');
    },

    async upsertProvider({ slug, name, adapter, baseUrl, ...facts }: ProviderRow): Promise<void> {
      const row = { slug, name, adapter, base_url: baseUrl, facts: JSON.stringify(facts), source };
      await upsert('providers', 'slug', row);
    },

    async upsertModel({
      id,
      canonicalSlug,
      name,
      description,
      createdAt,
      ...facts
    }: ModelRow): Promise<void> {
      await upsert('models', 'id', {
        id,
        canonical_slug: canonicalSlug,
        name,
        description,
        facts: JSON.stringify(facts),
        created_at: createdAt,
        source,
      });
    },

    /** Inserts or updates an endpoint. A disabled one is enabled when an import contains it. */
    async upsertEndpoint(endpoint: VideoEndpoint | LiveEndpoint): Promise<void> {
      const row = fromEndpoint(endpoint);
      await upsert('endpoints', 'id', {
        ...row,
        pricing: JSON.stringify(row.pricing),
        capabilities: JSON.stringify(row.capabilities),
        timeouts: JSON.stringify(row.timeouts),
        ...(source === 'bundled' ? {} : { enabled: true }),
        source,
      });
    },

    /** Disables endpoints for new requests. Their rows stay for running jobs and for generations that name them. */
    async retireEndpoints(ids: string[]): Promise<void> {
      const statement = 'update endpoints set enabled = false, source = :source where id = any(:ids)';
      await run(handle, statement, { ids, source });
    },
  };
}

export type CatalogStore = ReturnType<typeof createCatalogStore>;

/** Builds the methods that read the catalog. */
function catalogReads(handle: Handle) {
  return {
    /**
     * Returns the catalog with enabled endpoints, the preferred ones of a model first. Disabled video endpoints are
     * listed separately.
     */
    async load(): Promise<CatalogRows> {
      const { providers, models, endpoints } = await readAll(handle);
      const live: LiveEndpoint[] = [];
      const video: VideoEndpoint[] = [];
      const retired: VideoEndpoint[] = [];
      for (const row of endpoints) {
        const endpoint = { ...toEndpoint(row), priceVersion: row.price_version };
        if (!isLive(endpoint)) (row.enabled ? video : retired).push(endpoint);
        else if (row.enabled) live.push(endpoint);
      }
      return {
        providers: providers.map(toProvider),
        models: models.map(toModel),
        endpoints: video,
        liveEndpoints: live,
        retiredEndpoints: retired,
      };
    },

    async loadSourced(): Promise<SourcedCatalog> {
      const { providers, models, endpoints } = await readAll(handle);
      return {
        providers: providers.map((row) => ({ provider: toProvider(row), source: row.source })),
        models: models.map((row) => ({ model: toModel(row), source: row.source })),
        endpoints: endpoints.map((row) => ({
          endpoint: toEndpoint(row),
          enabled: row.enabled,
          source: row.source,
        })),
      };
    },
  };
}

const ALL_COLUMNS = {
  providers: json<ProviderColumns[]>(),
  models: json<ModelColumns[]>(),
  endpoints: json<(EndpointColumns & { price_version: number })[]>(),
};

/** Reads all rows in one statement, so that a concurrent import is included completely or not at all. */
async function readAll(handle: Handle): Promise<RowOf<typeof ALL_COLUMNS>> {
  const row = await oneRow(handle, ALL_COLUMNS, READ_ALL);
  // Dates in JSON are text.
  const models = row.models.map((model) => ({ ...model, created_at: new Date(model.created_at) }));
  return { ...row, models };
}

const READ_ALL = `
  select
    (select coalesce(json_agg(p order by slug), '[]') from providers p) providers,
    (select coalesce(json_agg(m order by id), '[]') from models m) models,
    (select coalesce(json_agg(e order by model_id, priority, id), '[]') from (
      select *, (select max(v.id) from price_versions v where v.endpoint_id = endpoints.id) price_version
      from endpoints) e) endpoints`;

/**
 * Columns that identify a row and are never updated: the name of a model in the ledger, and the model and provider of
 * an endpoint.
 */
const IDENTITY = new Set(['canonical_slug', 'model_id', 'provider_slug']);

type Row = Record<string, string | number | boolean | Date | null>;

async function upsertRow(
  handle: Handle,
  table: string,
  { key, row, replacesUpdatesBefore }: { key: string; row: Row; replacesUpdatesBefore: string | null },
): Promise<void> {
  const columns = Object.keys(row);
  const changeable = columns.filter((name) => name !== key && !IDENTITY.has(name));
  const names = (prefix: string) => changeable.map((name) => `${prefix}.${name}`).join(', ');
  await run(
    handle,
    `insert into ${table} (${columns.join(', ')}) values (${columns.map((name) => `:${name}`).join(', ')})
     on conflict (${key}) do update
       set ${changeable.map((name) => `${name} = excluded.${name}`).join(', ')}, updated_at = now()
     where case ${table}.source
         when 'imported' then excluded.source = 'imported'
         when 'updated' then excluded.source <> 'bundled' or ${table}.updated_at < :replacesUpdatesBefore::timestamptz
         else true
       end
       and (${names(table)}) is distinct from (${names('excluded')})`,
    { ...row, replacesUpdatesBefore },
  );
}
