import { deepStrictEqual, doesNotMatch, match } from 'node:assert/strict';
import { runAdmin } from './admin.ts';
import type { Gateway } from './gateway.ts';

/** Fails unless `ledger reprice` gives all kept bills of the gateway again. */
export async function expectReproduced(gateway: Pick<Gateway, 'config' | 'objectsFolder'>): Promise<void> {
  const range = ['--from', '2026-01-01', '--to', '2999-01-01'];
  const { code, stdout, stderr } = await runAdmin(gateway, ['ledger', 'reprice', ...range]);
  deepStrictEqual([code, stderr], [0, ''], stdout);
  doesNotMatch(stdout, /did not keep/);
  match(stdout, /^All [1-9]\d* kept bills are reproduced/m);
}
