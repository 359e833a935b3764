import { expect, test } from '@jest/globals';
import { migrate, rollBackThrough } from '../../../db/migrate.ts';
import { startGateway } from '../../support/gateway.ts';
import { submit } from '../../support/jobs.ts';

test('migrating deletes the requests of jobs that have ended, and keeps those of open jobs', async () => {
  const gateway = await startGateway({ worker: false });
  const { database } = gateway;
  const url = gateway.config.database.url;
  const [open, over] = [await submit(gateway), await submit(gateway)];
  const rowOf = async (id: string) =>
    (await database.query(`select to_jsonb(j) job from video_jobs j where id = $1`, [id])).rows[0].job;
  const { request_facts: facts } = await rowOf(open.id);

  await rollBackThrough(url, '20260111001000_keep_requests_apart');
  const request = { model: 'local/clip-canned', prompt: 'a test', shaped: facts.shaped };
  expect(await rowOf(open.id)).toMatchObject({ request });
  await database.query(`update video_jobs set status = 'cancelled', ended_at = now() where id = $1`, [
    over.id,
  ]);

  await migrate(url);
  expect(await rowOf(open.id)).toMatchObject({ request, request_facts: null });
  expect(await rowOf(over.id)).toMatchObject({
    request: { shaped: facts.shaped },
    request_facts: { shaped: facts.shaped },
  });
  expect(Object.keys((await rowOf(over.id)).request)).toEqual(['shaped']);
  await gateway.close();
});
