import type { Handle } from '../db/postgres/connection.ts';
import { auditLedger, type Verdict } from '../db/ledger/ledger-audit.ts';
import { createRejectStore } from '../db/ledger/reject-store.ts';
import { formatTable } from './table.ts';

export const VERIFY_LEDGER_USAGE = 'verify-ledger';

/**
 * Runs `admin verify-ledger`: adds up all generations in one snapshot of the database, and compares counters and
 * rollups with the sums. Generations of dropped partitions count by their kept sums. It only reads, so it can run on a
 * replica. Returns the text to print, and the verdict: differing sums take precedence over rejects.
 */
export async function runVerifyLedger(knex: Handle): Promise<{ text: string; verdict: LedgerVerdict }> {
  const verdicts = await auditLedger(knex);
  const rejects = await createRejectStore(knex).count();
  const agrees = verdicts.every(({ differing }) => differing === 0);
  return {
    text: present(verdicts, rejects, agrees),
    verdict: !agrees ? 'differs' : rejects > 0 ? 'has rejects' : 'agrees',
  };
}

/** The result of the comparison; admin/main.ts gives each one an exit code. */
export type LedgerVerdict = 'agrees' | 'differs' | 'has rejects';

function present(verdicts: Verdict[], rejects: number, agrees: boolean): string {
  const table = formatTable(
    ['check', 'what', 'compared', 'differing'],
    verdicts.map(({ name, about, compared, differing }) => [name, about, `${compared}`, `${differing}`]),
  );
  const details = verdicts.filter(({ differing }) => differing > 0).flatMap(presentDifferences);
  const unbilled =
    rejects === 0 ? [] : ['', `Rejects: ${rejects} answered, not billed. See them with: rejects list`];
  const verdict = agrees ? 'The ledger agrees.' : 'The ledger does NOT agree.';
  return [table, ...details, ...unbilled, '', verdict].join('\n');
}

function presentDifferences({ name, differing, differences }: Verdict): string[] {
  const shown = differing > differences.length ? `, the first ${differences.length}` : '';
  return [
    '',
    `${name}: ${differing} ${differing === 1 ? 'differs' : 'differ'}${shown}`,
    formatTable(
      ['where', 'by the generations', 'found'],
      differences.map(({ subject, expected, found }) => [subject, expected, found]),
    ),
  ];
}
