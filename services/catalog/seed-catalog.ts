import { createCatalogStore, type SourcedCatalog } from '../../db/catalog/catalog-store.ts';
import type { Handle } from '../../db/connection.ts';
import { bundledCatalogs, type CatalogFile } from '../../providers/catalog-file.ts';

/** A model that this version would call otherwise in the ledger than it is called there. */
export interface KeptSlug {
  modelId: string;
  /** What it is called, and stays. */
  canonicalSlug: string;
  /** What this version brings along. */
  shipped: string;
}

/**
 * Writes what the adapters of this version bring along. Repeatable; rows that are the same are left alone,
 * so that no replica reads its catalog again for nothing. Of a provider that an operator imported, nothing is added.
 */
export async function seedCatalog(knex: Handle): Promise<{ models: number; keptSlugs: KeptSlug[] }> {
  const files = bundledCatalogs();
  const keptSlugs = await knex.transaction(async (transaction) => {
    const store = createCatalogStore(transaction);
    await store.lockForImport();
    const present = await store.loadSourced();
    const taken = new Set(
      present.providers.filter(({ source }) => source === 'imported').map(({ provider }) => provider.slug),
    );
    for (const file of files) {
      for (const provider of file.providers) await store.upsertProvider(provider);
      for (const model of file.models) await store.upsertModel(model);
      for (const endpoint of [...file.endpoints, ...file.liveEndpoints]) {
        if (!taken.has(endpoint.providerSlug)) await store.upsertEndpoint(endpoint);
      }
    }
    return keptSlugsOf(files, present);
  });
  return { models: files.reduce((sum, file) => sum + file.models.length, 0), keptSlugs };
}

/** A model that an operator imported has the slug that the operator gave it. */
function keptSlugsOf(files: CatalogFile[], { models }: SourcedCatalog): KeptSlug[] {
  const shippedSlugs = new Map(
    files.flatMap((file) => file.models.map(({ id, canonicalSlug }) => [id, canonicalSlug])),
  );
  return models.flatMap(({ model: { id: modelId, canonicalSlug }, source }) => {
    const shipped = shippedSlugs.get(modelId) ?? canonicalSlug;
    return source === 'bundled' && shipped !== canonicalSlug ? [{ modelId, canonicalSlug, shipped }] : [];
  });
}
