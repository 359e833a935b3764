import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { QUEUES, SCHEDULES, WORKFLOWS } from '../../domain/runs.ts';
import { addDays, utcDayOf } from '../../domain/utc-day.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
const close = (workflowId: string): Promise<unknown> =>
  gateway.temporal.workflow.execute(WORKFLOWS.closeRankings, { workflowId, taskQueue: QUEUES.maintenance });
beforeAll(async () => {
  gateway = await startGateway({ worker: ALL_QUEUES });
});
afterAll(() => gateway.close());

test('closeRankings closes every missed day and runs ten minutes past each hour', async () => {
  await gateway.database.query(`select ensure_ledger_partition(now() - interval '60 days')`);
  // More days than one run has activities for.
  const { closed } = (await close('close-rankings')) as { closed: number };
  expect(closed).toBeGreaterThanOrEqual(59);
  expect(await close('close-rankings-again')).toEqual({ closed: 0 });
  const { rows } = await gateway.database.query(
    'select min(day)::text first, max(day)::text last, count(*)::integer days from rankings_days',
  );
  const today = utcDayOf(new Date());
  expect(rows).toEqual([{ first: addDays(today, -60), last: addDays(today, closed - 61), days: closed }]);

  const { spec } = await gateway.temporal.schedule.getHandle(SCHEDULES.closeRankings).describe();
  expect(spec.intervals).toEqual([{ every: 3_600_000, offset: 600_000 }]);
});

test('a day that cannot be closed fails the run but stops no other day', async () => {
  await gateway.database.query(`select ensure_ledger_partition(now() - interval '5 days')`);
  await close('close-rankings-first');
  const today = utcDayOf(new Date());
  const [first, second, third] = [5, 4, 3].map((days) => addDays(today, -days));
  await gateway.database.query('delete from rankings_days where day in ($1, $2, $3)', [first, second, third]);
  await gateway.database.query(
    `alter table rankings_days add constraint in_the_way check (day <> date '${second}') not valid`,
  );
  await expect(close('close-rankings-fails')).rejects.toMatchObject({
    cause: { message: 'days closed: 2, not closed: 1' },
  });
  await gateway.database.query('alter table rankings_days drop constraint in_the_way');
  expect(await close('close-rankings-later')).toEqual({ closed: 1 });
});
