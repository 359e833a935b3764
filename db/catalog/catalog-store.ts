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
import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';

export type { CatalogSource, ModelRow, ProviderRow } from './catalog-rows.ts';

export interface CatalogRows {
  providers: ProviderRow[];
  models: ModelRow[];
  /** Those that make video. */
  endpoints: VideoEndpoint[];
  liveEndpoints: LiveEndpoint[];
  /** Endpoints of videos that take no new jobs. */
  retiredEndpoints: VideoEndpoint[];
}

/** With endpoints that are switched off, and whose word the rows are. */
export interface SourcedCatalog {
  providers: { provider: ProviderRow; source: CatalogSource }[];
  models: { model: ModelRow; source: CatalogSource }[];
  endpoints: { endpoint: VideoEndpoint | LiveEndpoint; enabled: boolean; source: CatalogSource }[];
}

/** One import at a time; any number will do. */
const IMPORT_LOCK = 6_205_117;

/**
 * The catalog as rows. Read as a whole; written by imports that can be repeated. Rows that are the same are left
 * alone, so that no process reads its catalog again for nothing.
 *
 * @param source Whose word is written. What was imported is never overwritten by what was bundled.
 */
export function createCatalogStore(handle: Handle, source: CatalogSource = 'bundled') {
  return {
    ...catalogReads(handle),

    /** Until the transaction ends, at which its endpoints must have places of their own, whatever came first. */
    async lockForImport(): Promise<void> {
      await handle.raw('select pg_advisory_xact_lock(?)', [IMPORT_LOCK]);
      await handle.raw('set constraints endpoints_place deferred');
    },

    async upsertProvider({ slug, name, adapter, baseUrl, ...facts }: ProviderRow): Promise<void> {
      const row = { slug, name, adapter, base_url: baseUrl, facts: JSON.stringify(facts), source };
      await upsert(handle, 'providers', 'slug', row);
    },

    async upsertModel({
      id,
      canonicalSlug,
      name,
      description,
      createdAt,
      ...facts
    }: ModelRow): Promise<void> {
      await upsert(handle, 'models', 'id', {
        id,
        canonical_slug: canonicalSlug,
        name,
        description,
        facts: JSON.stringify(facts),
        created_at: createdAt,
        source,
      });
    },

    /** One that was switched off is in use again when an import brings it. */
    async upsertEndpoint(endpoint: VideoEndpoint | LiveEndpoint): Promise<void> {
      const row = fromEndpoint(endpoint);
      await upsert(handle, 'endpoints', 'id', {
        ...row,
        pricing: JSON.stringify(row.pricing),
        capabilities: JSON.stringify(row.capabilities),
        timeouts: JSON.stringify(row.timeouts),
        ...(source === 'imported' ? { enabled: true } : {}),
        source,
      });
    },

    /** Nothing new is sent to them. They stay, for the jobs that run on them and the generations that name them. */
    async retireEndpoints(ids: string[]): Promise<void> {
      await handle('endpoints').whereIn('id', ids).update({ enabled: false, source });
    },
  };
}

export type CatalogStore = ReturnType<typeof createCatalogStore>;

/** Builds the methods that read the catalog. */
function catalogReads(handle: Handle) {
  return {
    /** Endpoints that are switched on, the preferred ones of a model first. */
    async load(): Promise<CatalogRows> {
      const { providers, models, endpoints } = await readAll(handle);
      const live: LiveEndpoint[] = [];
      const video: VideoEndpoint[] = [];
      const retired: VideoEndpoint[] = [];
      for (const row of endpoints) {
        const endpoint = toEndpoint(row);
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

interface AllColumns {
  providers: ProviderColumns[];
  models: ModelColumns[];
  endpoints: EndpointColumns[];
}

/** One statement, so that an import that commits meanwhile is in all of it or in none. */
async function readAll(handle: Handle): Promise<AllColumns> {
  const [row] = await rowsOf<AllColumns>(handle, READ_ALL, []);
  if (row === undefined) throw new Error('aggregate returned no row');
  // JSON has no dates.
  const models = row.models.map((model) => ({ ...model, created_at: new Date(model.created_at) }));
  return { ...row, models };
}

const READ_ALL = `
  select
    (select coalesce(json_agg(p order by slug), '[]') from providers p) providers,
    (select coalesce(json_agg(m order by id), '[]') from models m) models,
    (select coalesce(json_agg(e order by model_id, priority, id), '[]') from endpoints e) endpoints`;

/** What says what a row is: the model under its name in the ledger, the endpoint of that model. */
const IDENTITY = new Set(['canonical_slug', 'model_id', 'provider_slug']);

async function upsert(
  handle: Handle,
  table: string,
  key: string,
  row: Record<string, string | number | boolean | Date | null>,
): Promise<void> {
  const columns = Object.keys(row);
  const changeable = columns.filter((name) => name !== key && !IDENTITY.has(name));
  const names = (prefix: string) => changeable.map((name) => `${prefix}.${name}`).join(', ');
  await handle.raw(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})
     on conflict (${key}) do update
       set ${changeable.map((name) => `${name} = excluded.${name}`).join(', ')}, updated_at = now()
     where (${table}.source = 'bundled' or excluded.source = 'imported')
       and (${names(table)}) is distinct from (${names('excluded')})`,
    Object.values(row),
  );
}
