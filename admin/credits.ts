import { parseArgs } from 'node:util';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { createCreditStore } from '../db/accounts/credit-store.ts';
import { formatUsd } from '../domain/money.ts';
import { parseAmount, pickVerb, required, requireNone, AdminUsageError } from './arguments.ts';
import { formatTable } from './table.ts';
import { takeOrganization } from './organization.ts';

export const CREDITS_USAGE = `credits add --usd AMOUNT [--note TEXT]     (a correction: --usd=-AMOUNT)
credits list
                      (each with --organization ID where there are several)`;

const SHOWN = 100;

/** Runs `admin credits …` on one organization. Returns the text to print. */
export async function runCredits(knex: Handle, args: string[]): Promise<string> {
  const { organizationId, rest: words } = await takeOrganization(knex, args);
  const [verb, rest] = pickVerb('credits', ['add', 'list'], words);
  if (verb === 'add') return addCredits(knex, organizationId, rest);
  requireNone(rest);
  return listCredits(knex, organizationId);
}

async function addCredits(knex: Handle, organizationId: string, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { usd: { type: 'string' }, note: { type: 'string', default: '' } },
  });
  const amountNanos = parseAmount('--usd', required('credits', '--usd', values.usd));
  if (amountNanos === 0n) throw new AdminUsageError('--usd must not be zero');
  await knex.transaction(async (transaction) => {
    const { id } = await createCreditStore(transaction).add(organizationId, {
      amountNanos,
      note: values.note,
    });
    const entry = { action: 'addCredits', target: `credits/${id}` };
    await createAuditStore(transaction).insert({ organizationId }, entry);
  });
  return totalsLine(knex, organizationId);
}

async function listCredits(knex: Handle, organizationId: string): Promise<string> {
  const entries = await createCreditStore(knex).list(organizationId, SHOWN);
  return [
    formatTable(
      ['at', 'usd', 'note'],
      entries.map(({ createdAt, amountNanos, note }) => [
        createdAt.toISOString(),
        formatUsd(amountNanos),
        note,
      ]),
    ),
    '',
    await totalsLine(knex, organizationId),
    ...(entries.length < SHOWN ? [] : [`The newest ${SHOWN} entries are shown.`]),
  ].join('\n');
}

async function totalsLine(knex: Handle, organizationId: string): Promise<string> {
  const { boughtNanos, usedNanos } = await createCreditStore(knex).totals(organizationId);
  const left = formatUsd(boughtNanos - usedNanos);
  return `Bought $${formatUsd(boughtNanos)}, used $${formatUsd(usedNanos)}, left $${left}`;
}
