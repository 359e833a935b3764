/** Finds the model id, provider name and endpoint id for pairs of model and provider in the ledger. */
import type { Handle } from '../postgres/connection.ts';
import { text } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

/** The catalog's names of a model and a provider in the ledger; the ledger's own if the catalog lacks them. */
export interface EndpointNames {
  /** Canonical slug. */
  permaslug: string;
  /** Provider slug. */
  provider: string;
  model: string;
  providerName: string;
  /** The id of the first endpoint for the model at the provider. */
  endpointId: string;
}

const NAMES = {
  permaslug: text,
  provider: text,
  model: text.orNull,
  providerName: text.orNull,
  endpointId: text.orNull,
};

/** Returns the names of each pair of model and provider. */
export async function findEndpointNames(
  handle: Handle,
  pairs: readonly { permaslug: string; provider: string }[],
): Promise<EndpointNames[]> {
  if (pairs.length === 0) return [];
  const rows = await rowsOf(
    handle,
    NAMES,
    `select requested.permaslug, requested.provider, m.id model, p.name "providerName",
       (select e.id from endpoints e where e.model_id = m.id and e.provider_slug = requested.provider
        order by e.enabled desc, e.priority, e.id limit 1) "endpointId"
     from unnest(:permaslugs::text[], :providers::text[]) requested (permaslug, provider)
       left join models m on m.canonical_slug = requested.permaslug
       left join providers p on p.slug = requested.provider`,
    { permaslugs: pairs.map(({ permaslug }) => permaslug), providers: pairs.map(({ provider }) => provider) },
  );
  return rows.map((row) => ({
    permaslug: row.permaslug,
    provider: row.provider,
    model: row.model ?? row.permaslug,
    providerName: row.providerName ?? row.provider,
    endpointId: row.endpointId ?? `${row.provider}/${row.permaslug}`,
  }));
}
