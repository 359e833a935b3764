import { describe, expect, test } from '@jest/globals';
import { progressTo } from '../../admin/ledger.ts';
import { runAdminHere } from '../support/admin.ts';

/** Nothing listens there, and wrong arguments are found before. */
const ENV = { SLUICE_ENV: 'test', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };

describe('ledger reprice', () => {
  test.each<[string, string[], string]>([
    ['no start', ['--to', '2026-12-01'], 'ledger: --from is missing'],
    ['no end', ['--from', '2026-12-01'], 'ledger: --to is missing'],
    ['no time', ['--from', 'yesterday', '--to', '2026-12-01'], '--from must be a time, such as'],
    ['a time without a zone', ['--from', '2026-11-01T00:00', '--to', '2026-12-01'], '--from must be a time'],
    ['an empty range', ['--from', '2026-12-01', '--to', '2026-12-01'], '--from must be before --to'],
    [
      'no id of an organization',
      ['--from', '2026-11-01', '--to', '2026-12-01', '--organization', 'acme'],
      '--organization must be the id of an organization, not "acme"',
    ],
  ])('exits 2 for %s', async (_, args, problem) => {
    const { code, stderr } = await runAdminHere(['ledger', 'reprice', ...args], ENV);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  test('exits 2 for another verb', async () => {
    const { code, stderr } = await runAdminHere(['ledger', 'mend'], ENV);
    expect([code, stderr]).toEqual([2, expect.stringContaining('"mend" was given where one of reprice')]);
  });

  test('prints its progress once in 100,000 generations', () => {
    const lines: string[] = [];
    const note = progressTo((line) => lines.push(line));
    const at = new Date('2026-11-28T12:00:00Z');
    for (let read = 2_000; read <= 250_000; read += 2_000) note(read, at);
    expect(lines).toEqual([
      '100000 generations, up to 2026-11-28T12:00:00.000Z',
      '200000 generations, up to 2026-11-28T12:00:00.000Z',
    ]);
  });
});
