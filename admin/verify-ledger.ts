import type { Knex } from 'knex';
import { countRejects, type Difference, gatherSums, LEDGER_CHECKS, onSnapshot } from '../db/ledger-audit.ts';
import { formatTable } from './table.ts';

export const VERIFY_LEDGER_USAGE = 'verify-ledger';

interface Verdict {
  name: string;
  about: string;
  compared: number;
  differing: number;
  differences: Difference[];
}

/**
 * `admin verify-ledger`: adds all generations up anew, on one state of the database, and holds the counters and
 * rollups against that. What was dropped with an old partition counts with the sums that were kept of it. Tells
 * each step as it begins. Returns what is printed, and whether everything agrees.
 */
export async function runVerifyLedger(
  knex: Knex,
  tell: (step: string) => void,
): Promise<{ text: string; agrees: boolean }> {
  return onSnapshot(knex, async (transaction) => {
    tell('adding up the generations');
    await gatherSums(transaction);
    const verdicts: Verdict[] = [];
    for (const { name, about, run } of LEDGER_CHECKS) {
      tell(`checking ${name}: ${about}`);
      verdicts.push({ name, about, ...(await run(transaction)) });
    }
    const agrees = verdicts.every(({ differing }) => differing === 0);
    return { text: present(verdicts, await countRejects(transaction)), agrees };
  });
}

function present(verdicts: Verdict[], rejects: number): string {
  const table = formatTable(
    ['check', 'what', 'compared', 'differing'],
    verdicts.map(({ name, about, compared, differing }) => [name, about, `${compared}`, `${differing}`]),
  );
  const differing = verdicts.filter((verdict) => verdict.differing > 0);
  const details = differing.flatMap(({ name, differing: count, differences }) => [
    '',
    `${name}: ${count} ${count === 1 ? 'differs' : 'differ'}${count > differences.length ? `, the first ${differences.length}` : ''}`,
    formatTable(
      ['where', 'by the generations', 'found'],
      differences.map(({ subject, expected, found }) => [subject, expected, found]),
    ),
  ]);
  const unbilled =
    rejects === 0
      ? []
      : ['', `${rejects} in generation_rejects: answered, not billed. Look at them, then delete them.`];
  const verdict = differing.length === 0 ? 'The ledger agrees.' : 'The ledger does NOT agree.';
  return [table, ...details, ...unbilled, '', verdict].join('\n');
}
