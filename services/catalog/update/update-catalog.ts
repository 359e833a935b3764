/** Updates the prices of the catalog from a price source, or from a newer catalog file. */
import { ZodError } from 'zod';
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import { createCatalogStore, type SourcedCatalog } from '../../../db/catalog/catalog-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { Issue } from '../../../domain/errors.ts';
import { type CatalogFile, parseCatalogFile } from '../../../providers/catalog-file.ts';
import { type CatalogChange, changesOf } from '../catalog-changes.ts';
import { checkImport } from '../check-import.ts';
import { correctSource } from '../price-sources/corrections.ts';
import type { PriceSource } from '../price-sources/read-price-source.ts';
import { type CatalogOffer, offerOfFile, offerOfSource } from './catalog-offer.ts';
import { doubtsAbout } from './doubts.ts';
import { type PriceChange, priceChanges } from './price-changes.ts';

/** The content of the file that an update reads. */
export type UpdateInput = { source: PriceSource } | { catalog: CatalogFile };

export interface CatalogUpdate {
  offer: CatalogOffer;
  prices: PriceChange[];
  /** The rows that a catalog file would change. A price source changes prices and dates of retirement only. */
  changes: CatalogChange[];
  /** Reasons not to trust the file. */
  doubts: string[];
  /** Rules that the file breaks. Nothing is written then. */
  issues: Issue[];
}

/** Returns what an update would change. */
export async function planUpdate(handle: Handle, input: UpdateInput): Promise<CatalogUpdate> {
  return plan(input, await createCatalogStore(handle).loadSourced());
}

function plan(input: UpdateInput, present: SourcedCatalog): CatalogUpdate {
  const offer =
    'catalog' in input
      ? offerOfFile(input.catalog, present)
      : offerOfSource(correctSource(input.source).source, present);
  const before = new Map(present.endpoints.map(({ endpoint }) => [endpoint.id, endpoint]));
  const prices = [...offer.file.endpoints, ...offer.file.liveEndpoints].flatMap((after) =>
    priceChanges(before.get(after.id), after),
  );
  return {
    offer,
    prices,
    doubts: doubtsAbout(offer, prices, present, Date.now()),
    changes: 'catalog' in input ? changesOf(offer.file, present) : [],
    issues: [...brokenRules(offer.file), ...checkImport(offer.file, present)],
  };
}

/** Returns the rules that merged rows break, such as the number of prices that an endpoint can have. */
function brokenRules(file: CatalogFile): Issue[] {
  try {
    parseCatalogFile(JSON.parse(JSON.stringify(file)));
    return [];
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    return error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  }
}

/**
 * Writes an update, all of it or nothing, with one row in the audit log. Returns false, and writes nothing, if the
 * catalog changed after the update was planned.
 */
export function writeUpdate(
  knex: Handle,
  input: UpdateInput,
  planned: CatalogUpdate,
  { organizationId, digest }: { organizationId: string; digest: string },
): Promise<boolean> {
  return knex.transaction(async (transaction) => {
    const store = createCatalogStore(transaction, 'updated');
    await store.lockForImport();
    const { offer } = plan(input, await store.loadSourced());
    if (JSON.stringify(offer) !== JSON.stringify(planned.offer)) return false;
    const { file, gone, retires } = offer;
    for (const provider of file.providers) await store.upsertProvider(provider);
    for (const model of file.models) await store.upsertModel(model);
    for (const endpoint of [...file.endpoints, ...file.liveEndpoints]) await store.upsertEndpoint(endpoint);
    if (retires) await store.retireEndpoints(gone);
    const entry = { action: 'updateCatalog', target: `catalog/${digest}` };
    await createAuditStore(transaction).insert({ organizationId }, entry);
    return true;
  });
}
