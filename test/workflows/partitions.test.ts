import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { QUEUES, WORKFLOWS } from '../../domain/runs.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ worker: ALL_QUEUES });
});
afterAll(() => gateway.close());

test('keepPartitions creates partitions for today and three more days and drops expired ones', async () => {
  await gateway.database.query(`select ensure_ledger_partition(now() - interval '91 days')`);
  const options = { workflowId: 'partitions', taskQueue: QUEUES.maintenance };
  expect(await gateway.temporal.workflow.execute(WORKFLOWS.keepPartitions, options)).toEqual({
    dropped: 1,
    busy: 0,
    broadcast: { dropped: 0, busy: 0, givenUp: 0 },
  });
  const { rows } = await gateway.database.query(
    `select min(to_date(right(relname, 8), 'YYYYMMDD')) = (now() at time zone 'UTC')::date first,
            count(*)::integer days
     from pg_class where relname ~ '^generations_\\d{8}$'`,
  );
  expect(rows).toEqual([{ first: true, days: 4 }]);
});
