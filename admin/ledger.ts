/** Reprices past generations, for `admin ledger`. */
import { parseArgs } from 'node:util';
import type { BilledRange } from '../db/ledger/bill-read-model.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { UUID_PATTERN } from '../domain/ids.ts';
import { formatUsd } from '../domain/money.ts';
import { type Count, REASONS, reprice, type Repricing } from '../services/ledger/reprice/reprice.ts';
import { AdminUsageError, pickVerb, positionalsOf, type Report, required } from './arguments.ts';
import { formatTable } from './table.ts';

export const LEDGER_USAGE = `ledger reprice --from TIME --to TIME [--organization ID] [--model ID]
(a TIME is like 2026-11-01 or 2026-11-01T12:30:00Z; --to itself is not in the range)`;

/**
 * Runs `admin ledger reprice`: computes what the generations of a range would cost by today's prices. It also computes
 * each bill again by the prices that it names, and says whether all are as they were. It changes nothing, and can run
 * on a replica. `print` takes the progress. Returns the text to print, and whether all bills are reproduced.
 */
export async function runLedger(
  knex: Handle,
  args: string[],
  print: (line: string) => void,
): Promise<Report> {
  const { values, positionals } = parseArgs({
    args,
    options: {
      from: { type: 'string' },
      to: { type: 'string' },
      organization: { type: 'string' },
      model: { type: 'string' },
    },
    allowPositionals: true,
  });
  const [, rest] = pickVerb('ledger', ['reprice'], positionals);
  positionalsOf('ledger', [], rest);
  const range = readRange(values);
  const result = await reprice(knex, range, progressTo(print));
  return { text: present(result), isDone: result.differing === 0 };
}

interface Values {
  from?: string | undefined;
  to?: string | undefined;
  organization?: string | undefined;
  model?: string | undefined;
}

function readRange({ from, to, organization, model }: Values): BilledRange {
  const range = {
    from: parseTime('--from', required('ledger', '--from', from)),
    to: parseTime('--to', required('ledger', '--to', to)),
    organizationId: organization === undefined ? undefined : parseId(organization),
    model,
  };
  if (range.from >= range.to) throw new AdminUsageError('--from must be before --to');
  return range;
}

/** Matches a date, or a time with its zone. Without a zone, it would be that of this machine. */
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

function parseTime(flag: string, text: string): Date {
  const time = new Date(text);
  if (TIME.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new AdminUsageError(`${flag} must be a time, such as 2026-11-01T12:30:00Z, not "${text}"`);
}

function parseId(text: string): string {
  if (UUID_PATTERN.test(text)) return text;
  throw new AdminUsageError(`--organization must be the id of an organization, not "${text}"`);
}

/** The generations between two lines of progress. */
const PROGRESS_STEP = 100_000;

/** Returns a function that prints a line of progress once in so many generations. */
export function progressTo(print: (line: string) => void): (generations: number, at: Date) => void {
  let next = PROGRESS_STEP;
  return (generations, at) => {
    if (generations < next) return;
    next = generations + PROGRESS_STEP;
    print(`${generations} generations, up to ${at.toISOString()}`);
  };
}

function present({ models, left, flagged, recomputed, differing, differences }: Repricing): string {
  const repriced = formatTable(
    ['model', 'credentials', 'requests', 'billed', "by today's prices", 'difference'],
    models.map(({ model, isByok, requests, billed, today }) => [
      model,
      isByok ? "customer's" : "operator's",
      `${requests}`,
      formatUsd(billed),
      formatUsd(today),
      formatUsd(today - billed),
    ]),
  );
  return [
    models.length === 0 ? 'No generation can be repriced.' : repriced,
    ...section(
      'Not repriced:',
      ['why', 'requests', 'billed'],
      [...left].map(([reason, sum]) => [REASONS[reason], ...cellsOf(sum)]),
    ),
    ...section(
      `Flagged bills (${FLAGS}):`,
      ['flag', 'provider', 'model', 'requests', 'billed'],
      flagged.map(({ flag, provider, model, ...sum }) => [flag, provider, model, ...cellsOf(sum)]),
    ),
    ...section(
      `Bills that are not reproduced (the first ${differences.length} of ${differing}):`,
      ['generation', 'billed', 'computed again'],
      differences.map(({ id, billed, recomputed: again }) => [id, formatUsd(billed), formatUsd(again)]),
    ),
    '',
    differing === 0
      ? `All ${recomputed} kept bills are reproduced by the prices that they name.`
      : `${differing} of ${recomputed} kept bills are NOT reproduced by the prices that they name.`,
  ].join('\n');
}

const FLAGS =
  'estimated: without the count of the vendor; unpriced_tier: the served tier has no prices; ' +
  'above_estimate, below_estimate: units far from the documented number';

function cellsOf({ requests, billed }: Count): string[] {
  return [`${requests}`, formatUsd(billed)];
}

/** Returns a table with a heading, after an empty line; nothing when it has no rows. */
function section(title: string, headings: string[], rows: string[][]): string[] {
  return rows.length === 0 ? [] : ['', title, formatTable(headings, rows)];
}
