/** Brings the catalog's prices up to date, for `admin catalog update`. */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createAccountStore } from '../db/accounts/account-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import type { CatalogModel } from '../domain/catalog/model-facts.ts';
import { isFields } from '../domain/fields.ts';
import type { CatalogChange } from '../services/catalog/catalog-changes.ts';
import { readPriceSource } from '../services/catalog/price-sources/read-price-source.ts';
import { PriceSourceError } from '../services/catalog/price-sources/source-model.ts';
import {
  type CatalogUpdate,
  planUpdate,
  type UpdateInput,
  writeUpdate,
} from '../services/catalog/update/update-catalog.ts';
import { AdminUsageError } from './arguments.ts';
import { parseCatalog, parseJson, refusal } from './catalog-file-text.ts';
import { readPriceFile } from './read-price-file.ts';
import { formatTable } from './table.ts';

export const UPDATE_USAGE = 'catalog update [--from FILE|URL] [--dry-run] [--yes] [--force]';

/** LiteLLM's map has the prices of most vendors, with tiers and dates of retirement. Reading it needs no account. */
const DEFAULT_SOURCE =
  'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json';

/** Gives an update what it needs of the command line. */
export interface UpdateTools {
  /** The entries of OUTBOUND_ALLOW. */
  allow(): readonly string[];
  /** Takes the changes before the question. */
  print(text: string): void;
  /** Asks the operator, and returns whether the answer is yes. Absent: there is no terminal. */
  ask?: ((question: string) => Promise<boolean>) | undefined;
}

/** Runs `admin catalog update`. Returns the text to print. */
export async function updateCatalog(knex: Handle, args: string[], tools: UpdateTools): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      from: { type: 'string', default: DEFAULT_SOURCE },
      'dry-run': { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
    },
  });
  const { from, 'dry-run': dryRun, yes, force } = values;
  if (!dryRun && !yes && tools.ask === undefined) {
    throw new AdminUsageError('catalog update: there is no terminal to ask at. Add --yes or --dry-run.');
  }
  const organization = await createAccountStore(knex).firstOrganization();
  if (organization === null) {
    throw new AdminUsageError('There is no organization yet. First: npm run admin -- bootstrap');
  }
  const bytes = await readPriceFile(from, tools.allow());
  const input = readInput(from, bytes);
  const update = await planUpdate(knex, input);
  if (update.issues.length > 0) throw refusal(from, update.issues);
  const text = describe(update);
  if (dryRun)
    return [text, ...update.doubts.map((doubt) => `Doubt: ${doubt}`), 'Nothing was written.'].join('\n');
  if (update.doubts.length > 0 && !force) throw doubtful(from, update.doubts);
  if (countRows(update) === 0) return text;
  tools.print(text);
  if (!yes && (await tools.ask?.('Write these changes? [y/N] ')) !== true) return 'Nothing was written.';
  const digest = createHash('sha256').update(bytes).digest('hex');
  const isWritten = await writeUpdate(knex, input, update, { organizationId: organization.id, digest });
  if (!isWritten)
    throw new AdminUsageError('The catalog changed meanwhile; nothing was written. Run the command again.');
  return `${countOf(countRows(update), 'row')} written.`;
}

/** A catalog file has lists of endpoints; the formats of price sources do not. */
function readInput(name: string, bytes: Buffer): UpdateInput {
  const json = parseJson(name, bytes);
  if (isFields(json) && Array.isArray(json['providers']) && Array.isArray(json['models'])) {
    return { catalog: parseCatalog(name, json) };
  }
  try {
    return { source: readPriceSource(json, new Date()) };
  } catch (error) {
    if (error instanceof PriceSourceError) throw new AdminUsageError(`${name}: ${error.message}`);
    throw error;
  }
}

function doubtful(name: string, doubts: string[]): AdminUsageError {
  const lines = doubts.map((doubt) => `  ${doubt}`);
  return new AdminUsageError(
    [
      `${name} is unusual; nothing was written:`,
      ...lines,
      'See all changes with --dry-run, and write them with --force.',
    ].join('\n'),
  );
}

function countOf(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`}`;
}

function countRows({ offer: { file, gone, retires } }: CatalogUpdate): number {
  const rows = [file.providers, file.models, file.endpoints, file.liveEndpoints];
  return rows.reduce((sum, { length }) => sum + length, retires ? gone.length : 0);
}

function rowOfRetirement({ id, expirationDate }: CatalogModel): string[] {
  return ['model', id, 'retired on', '', expirationDate ?? 'no date'];
}

/** Returns a row for each changed value of a catalog's row, but for its prices, which have rows of their own. */
function rowsOf({ what, kind, id, details }: CatalogChange): string[][] {
  if (what === 'switched off') return [];
  if (what !== 'changed') return [[what, `${kind} ${id}`, '', '', '']];
  const others = details.filter((detail) => !/^pricing(Skus)?\b/.test(detail));
  return others.map((detail) => {
    const [, name = '', before = '', after = ''] = /^([^:]+): (.*) → (.*)$/s.exec(detail) ?? [];
    return [what, `${kind} ${id}`, name, before, after];
  });
}

function describe(update: CatalogUpdate): string {
  const { offer, prices, changes } = update;
  const rows = [
    ...prices.map(({ what, endpointId, price, before = '', after = '' }) => [
      what,
      endpointId,
      price,
      before,
      after,
    ]),
    ...offer.unread.map((id) => ['skipped', id, 'has prices that a catalog cannot hold', '', '']),
    ...offer.gone.map((id) => [
      'gone',
      id,
      offer.retires ? 'is switched off' : 'is not in the source',
      '',
      '',
    ]),
    ...(changes.length > 0 ? changes.flatMap(rowsOf) : offer.file.models.map(rowOfRetirement)),
  ];
  const counts = ['dearer', 'cheaper', 'new', 'gone'].map(
    (what) => `${prices.filter((row) => row.what === what).length} ${what}`,
  );
  const own = offer.own === 0 ? '' : ` Of your own: ${countOf(offer.own, 'endpoint')}, unchanged.`;
  const summary = `Prices: ${counts.join(', ')}. Endpoints that are gone: ${offer.gone.length}.${own}`;
  if (rows.length === 0) return `The catalog already has these prices.${own}`;
  return [formatTable(['what', 'id', 'price', 'before', 'after'], rows), '', summary].join('\n');
}
