/** Imports catalog files and lists the endpoints of the catalog, for `admin catalog`. */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createAccountStore } from '../db/accounts/account-store.ts';
import { createGoneEndpointStore } from '../db/catalog/gone-endpoint-store.ts';
import { createCatalogStore } from '../db/catalog/catalog-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import type { ProviderConfig } from '../platform/provider-variables.ts';
import type { CatalogChange } from '../services/catalog/catalog-changes.ts';
import { importCatalog } from '../services/catalog/import-catalog.ts';
import { onlyPositional, pickVerb, type Report, requireNone, AdminUsageError } from './arguments.ts';
import { parseCatalog, parseJson, refusal } from './catalog-file-text.ts';
import { CHECK_USAGE, runCheckCatalog } from './check-catalog.ts';
import { EXPLAIN_USAGE, explainBillOf } from './explain-bill.ts';
import { readBytes } from './read-price-file.ts';
import { formatTable } from './table.ts';
import { UPDATE_USAGE, updateCatalog, type UpdateTools } from './update-catalog.ts';

export const CATALOG_USAGE = `catalog import FILE [--dry-run]
${UPDATE_USAGE}
${CHECK_USAGE}
catalog list
${EXPLAIN_USAGE}`;

/** Gives the verbs what they need of the command line and the configuration. */
interface CatalogTools extends UpdateTools {
  /** Returns a provider's credentials by its slug. */
  credentials(slug: string): ProviderConfig;
}

const NO_TOOLS: CatalogTools = { allow: () => [], print: () => undefined, credentials: () => ({}) };

/** Runs `admin catalog …`. Returns the text to print, and whether all is well. */
export async function runCatalog(knex: Handle, args: string[], tools = NO_TOOLS): Promise<Report> {
  const [verb, rest] = pickVerb('catalog', ['import', 'update', 'check', 'list', 'explain'], args);
  if (verb === 'check') return runCheckCatalog(knex, rest, tools.credentials);
  const run = { import: importFile, update: updateCatalog, list: listEndpoints, explain: explainBillOf }[
    verb
  ];
  return { text: await run(knex, rest, tools), isDone: true };
}

async function importFile(knex: Handle, args: string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args,
    options: { 'dry-run': { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const name = onlyPositional('catalog', 'FILE', positionals);
  const bytes = await readBytes(name);
  const file = parseCatalog(name, parseJson(name, bytes));
  const organization = await createAccountStore(knex).firstOrganization();
  if (organization === null) {
    throw new AdminUsageError('There is no organization yet. First: npm run admin -- bootstrap');
  }
  const dryRun = values['dry-run'];
  const digest = createHash('sha256').update(bytes).digest('hex');
  const result = await importCatalog(knex, file, { organizationId: organization.id, digest, dryRun });
  if ('issues' in result) throw refusal(name, result.issues);
  return describe(result.changes, dryRun);
}

function describe(changes: CatalogChange[], dryRun: boolean): string {
  if (changes.length === 0) return 'The catalog already matches the file.';
  const lines = changes.flatMap(({ what, kind, id, details }) => [
    `${kind} ${id}: ${what}`,
    ...details.map((detail) => `    ${detail}`),
  ]);
  const count = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`;
  return [...lines, '', dryRun ? `${count}; nothing was written.` : `${count} imported.`].join('\n');
}

/** Lists all endpoints, including those that this deployment cannot reach. */
async function listEndpoints(knex: Handle, args: string[]): Promise<string> {
  requireNone(args);
  const { endpoints } = await createCatalogStore(knex).loadSourced();
  const gone = new Map(
    (await createGoneEndpointStore(knex).list()).map((row) => [row.endpointId, row.firstSeenAt]),
  );
  const stateOf = (id: string, isEnabled: boolean): string => {
    const since = gone.get(id);
    const state = isEnabled ? 'on' : 'off';
    return since === undefined ? state : `${state}, model gone since ${since.toISOString().slice(0, 10)}`;
  };
  return formatTable(
    ['model', 'endpoint', 'provider', 'serves', 'from', 'state'],
    endpoints.map(({ endpoint, enabled, source }) => [
      endpoint.modelId,
      endpoint.id,
      endpoint.providerSlug,
      'capability' in endpoint ? endpoint.capability : 'video',
      source,
      stateOf(endpoint.id, enabled),
    ]),
  );
}
