/** Prints what vendors list today and what of it the catalog has, for `admin catalog check`. */
import { createCatalogStore } from '../db/catalog/catalog-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import type { ProviderConfig } from '../platform/provider-variables.ts';
import { checkCatalog, type CheckedVendor } from '../services/catalog/check-catalog.ts';
import { type Report, requireNone } from './arguments.ts';
import { formatTable } from './table.ts';

export const CHECK_USAGE = 'catalog check';

/** The most names of a vendor's further models that are printed. */
const SHOWN_MODELS = 20;

/** Runs `admin catalog check`. It is done if no endpoint is gone or retired, and every vendor answered. */
export async function runCheckCatalog(
  knex: Handle,
  args: string[],
  credentials: (slug: string) => ProviderConfig,
): Promise<Report> {
  requireNone(args);
  const rows = await createCatalogStore(knex).load();
  const vendors = await checkCatalog(rows, credentials, new Date());
  const faulty = vendors.flatMap(({ endpoints }) => endpoints.filter(({ state }) => state !== 'listed'));
  const table = faulty.map(({ id, state, on = '' }) => [id, state, on]);
  const text = [
    ...vendors.map(summarize),
    ...(table.length === 0 ? [] : ['', formatTable(['endpoint', 'state', 'on'], table)]),
    ...vendors.filter(({ missing }) => missing.length > 0).flatMap(listMissing),
  ].join('\n');
  const isSilent = vendors.some(({ unchecked }) => unchecked === 'does not answer');
  return { text, isDone: !isSilent && faulty.every(({ state }) => state === 'retires') };
}

function summarize({ slug, unchecked, problem, endpoints }: CheckedVendor): string {
  if (unchecked !== undefined) return `${slug}: ${unchecked}${problem === undefined ? '' : ` (${problem})`}`;
  const listed = endpoints.filter(({ state }) => state === 'listed' || state === 'retires').length;
  return `${slug}: lists ${listed} of ${endpoints.length} endpoints`;
}

function listMissing({ slug, missing }: CheckedVendor): string[] {
  const shown = missing.slice(0, SHOWN_MODELS).map((id) => `  ${id.replaceAll(/\p{C}/gu, ' ')}`);
  const hidden = missing.length - shown.length;
  return [
    '',
    `${slug} has models that the catalog lacks:`,
    ...shown,
    ...(hidden > 0 ? [`  and ${hidden} more`] : []),
  ];
}
