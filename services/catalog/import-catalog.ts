/** Imports a file of models, endpoints and prices into the catalog. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import { createCatalogStore } from '../../db/catalog/catalog-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { Issue } from '../../domain/errors.ts';
import type { CatalogFile } from '../../providers/catalog-file.ts';
import { type CatalogChange, changesOf, missingOf } from './catalog-changes.ts';
import { checkImport } from './check-import.ts';

export interface ImportOptions {
  /** The organization whose audit log records the import. */
  organizationId: string;
  /** The digest by which the audit log names the file. */
  digest: string;
  /** True to write nothing and only return the changes. */
  dryRun: boolean;
}

export type ImportResult = { changes: CatalogChange[] } | { issues: Issue[] };

/**
 * Writes the file into the catalog: all of it or, with issues, nothing. It deletes nothing, because running jobs must
 * end and generations keep their names. Every process reads its catalog again after the commit.
 */
export function importCatalog(
  knex: Handle,
  file: CatalogFile,
  { organizationId, digest, dryRun }: ImportOptions,
): Promise<ImportResult> {
  return knex.transaction(async (transaction) => {
    const store = createCatalogStore(transaction, 'imported');
    await store.lockForImport();
    const present = await store.loadSourced();
    const issues = checkImport(file, present);
    if (issues.length > 0) return { issues };
    const changes = changesOf(file, present);
    if (dryRun) return { changes };
    for (const provider of file.providers) await store.upsertProvider(provider);
    for (const model of file.models) await store.upsertModel(model);
    for (const endpoint of [...file.endpoints, ...file.liveEndpoints]) await store.upsertEndpoint(endpoint);
    await store.retireEndpoints(missingOf(file, present));
    const entry = { action: 'importCatalog', target: `catalog/${digest}` };
    await createAuditStore(transaction).insert({ organizationId }, entry);
    return { changes };
  });
}
