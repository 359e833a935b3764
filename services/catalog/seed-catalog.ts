/** Fills the database with the models and endpoints that ship with this version of the gateway. */
import { createCatalogStore, type SourcedCatalog } from '../../db/catalog/catalog-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { bundledCatalogs, type CatalogFile } from '../../providers/catalog-file.ts';

/** A model whose slug in the ledger differs from the one in this version. */
export interface KeptSlug {
  modelId: string;
  /** The slug in the ledger, which stays in use. */
  canonicalSlug: string;
  /** The slug in this version. */
  shipped: string;
}

/**
 * Writes the catalog that the adapters of this version contain. It is safe to repeat. Equal rows are not written, so
 * that no replica reads its catalog again without need. Nothing is added to a provider that an operator imported, and
 * rows that `catalog update` wrote stay until a version has newer data.
 */
export async function seedCatalog(knex: Handle): Promise<{ models: number; keptSlugs: KeptSlug[] }> {
  const files = bundledCatalogs();
  const keptSlugs = await knex.transaction(async (transaction) => {
    const reader = createCatalogStore(transaction);
    await reader.lockForImport();
    const present = await reader.loadSourced();
    const taken = new Set(
      present.providers.filter(({ source }) => source === 'imported').map(({ provider }) => provider.slug),
    );
    const storeOf = (file: CatalogFile) => createCatalogStore(transaction, 'bundled', dateOf(file));
    for (const file of files) {
      for (const provider of file.providers) await storeOf(file).upsertProvider(provider);
      for (const model of file.models) await storeOf(file).upsertModel(model);
    }
    // An endpoint may serve a model of another vendor's file.
    for (const file of files) {
      const store = storeOf(file);
      for (const endpoint of [...file.endpoints, ...file.liveEndpoints]) {
        if (!taken.has(endpoint.providerSlug)) await store.upsertEndpoint(endpoint);
      }
    }
    return keptSlugsOf(files, present);
  });
  return { models: files.reduce((sum, file) => sum + file.models.length, 0), keptSlugs };
}

/** Returns the day of the file's newest source, so that older updates do not outlast newer data. */
function dateOf({ sources = [] }: CatalogFile): string | null {
  return (
    sources
      .map(({ date }) => date)
      .toSorted()
      .at(-1) ?? null
  );
}

/**
 * Returns the differing slugs. Models that an operator imported are left out, because their slugs are the operator's
 * choice.
 */
function keptSlugsOf(files: CatalogFile[], { models }: SourcedCatalog): KeptSlug[] {
  const shippedSlugs = new Map(
    files.flatMap((file) => file.models.map(({ id, canonicalSlug }) => [id, canonicalSlug])),
  );
  return models.flatMap(({ model: { id: modelId, canonicalSlug }, source }) => {
    const shipped = shippedSlugs.get(modelId) ?? canonicalSlug;
    return source !== 'imported' && shipped !== canonicalSlug ? [{ modelId, canonicalSlug, shipped }] : [];
  });
}
