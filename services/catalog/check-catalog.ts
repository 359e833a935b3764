/** Compares the endpoints of the catalog with the models that vendors list today. */
import type { CatalogRows } from '../../db/catalog/catalog-store.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import type { ProviderConfig } from '../../platform/provider-variables.ts';
import { addressOf } from '../../providers/credentials.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { needsKey } from '../../providers/registry.ts';
import { type ListedModel, modelListOf } from '../../providers/vendor-models.ts';

/** The state of an endpoint at its vendor. `retires` means within 30 days, which is no fault yet. */
export type EndpointState = 'listed' | 'gone' | 'retired' | 'retires';

export interface CheckedVendor {
  slug: string;
  /** The reason why the endpoints were not compared; undefined if they were. */
  unchecked?: 'not configured' | 'has no list of models' | 'does not answer' | undefined;
  /** The failure of a vendor that does not answer. */
  problem?: string | undefined;
  endpoints: { id: string; state: EndpointState; on?: string | undefined }[];
  /** Models of the vendor that no endpoint of the catalog serves. */
  missing: string[];
}

const SOON_DAYS = 30;
const DAY_MS = 86_400_000;
const DATE_AT_END = /-(\d{8}|\d{4}-\d{2}-\d{2})$/;

/** Asks each vendor of the catalog that is configured for its models, all at the same time. */
export async function checkCatalog(
  rows: CatalogRows,
  credentials: (slug: string) => ProviderConfig,
  now: Date,
): Promise<CheckedVendor[]> {
  const dispatcher = createProviderDispatcher();
  const signal = new AbortController().signal;
  const check = async ({
    slug,
    adapter,
    baseUrl: ofRow,
  }: CatalogRows['providers'][number]): Promise<CheckedVendor> => {
    const { apiKey, baseUrl: ofConfiguration = ofRow } = credentials(slug);
    const baseUrl = addressOf(adapter, apiKey, ofConfiguration);
    const unchecked = (why: CheckedVendor['unchecked'], problem?: string): CheckedVendor => ({
      slug,
      unchecked: why,
      problem,
      endpoints: [],
      missing: [],
    });
    if (baseUrl === null || (apiKey === undefined && needsKey(adapter))) return unchecked('not configured');
    const listModels = modelListOf(adapter);
    if (listModels === undefined) return unchecked('has no list of models');
    try {
      return compare(slug, rows, await listModels({ baseUrl, apiKey, dispatcher, signal }), now);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return unchecked(
        'does not answer',
        `${error.code}${error.status === undefined ? '' : `, status ${error.status}`}`,
      );
    }
  };
  try {
    return await Promise.all(rows.providers.map(check));
  } finally {
    await dispatcher.close();
  }
}

function compare(slug: string, rows: CatalogRows, listed: ListedModel[], now: Date): CheckedVendor {
  const today = now.toISOString().slice(0, 10);
  const soon = new Date(now.getTime() + SOON_DAYS * DAY_MS).toISOString().slice(0, 10);
  const byName = new Map(listed.map((model) => [model.id, model]));
  // A vendor may list only the dated name of a model.
  for (const model of listed) {
    const plain = model.id.replace(DATE_AT_END, '');
    if (!byName.has(plain)) byName.set(plain, model);
  }
  const dates = new Map(rows.models.map(({ id, expirationDate }) => [id, expirationDate]));
  const endpoints = [...rows.endpoints, ...rows.liveEndpoints].filter(
    ({ providerSlug }) => providerSlug === slug,
  );
  const served = new Set(endpoints.map(({ upstreamModelId }) => byName.get(upstreamModelId)?.id));
  return {
    slug,
    endpoints: endpoints.map(({ id, modelId, upstreamModelId }) => {
      const model = byName.get(upstreamModelId);
      const on = model?.shutdownDate ?? dates.get(modelId) ?? undefined;
      if (on !== undefined && on <= today) return { id, state: 'retired', on };
      if (model === undefined) return { id, state: 'gone' };
      return on !== undefined && on <= soon ? { id, state: 'retires', on } : { id, state: 'listed' };
    }),
    missing: listed.filter(({ id }) => !served.has(id)).map(({ id }) => id),
  };
}
