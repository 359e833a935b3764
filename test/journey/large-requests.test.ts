import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const FRAME = {
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${'iVBORw0K'.repeat(64 * 1024)}` },
  frame_type: 'first_frame',
};
const LARGE = { model: 'local/clip-1', prompt: 'A boat made of paper', frame_images: [FRAME] };

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { DATABASE_POOL_MAX: '4' } });
});

afterAll(() => gateway.close());

/** Connections of the API that insert a job right now. */
async function inserting(): Promise<number> {
  const { rows } = await gateway.database.query<{ n: number }>(
    `select count(*)::int n from pg_stat_activity
     where datname = current_database() and application_name = 'sluice-api' and state <> 'idle'
       and query like '%insert into video_jobs%'`,
  );
  return rows[0]!.n;
}

test.each([
  ['without an idempotency key', () => ({})],
  ['with an idempotency key', (n: number) => ({ 'idempotency-key': `large-${n}` })],
])('two large requests %s are inserted at once, and the others hold no connection', async (_, headersOf) => {
  const caller = createCaller(gateway.origin, gateway.apiKey);
  const holder = await gateway.database.connect();
  await holder.query('begin; lock table job_requests in share mode');
  let answered = 0;
  const posts = Array.from({ length: 6 }, async (_unused, n) => {
    const response = await caller.call('POST', '/videos', { body: LARGE, headers: headersOf(n) });
    answered += 1;
    return response.status;
  });
  await eventually('two inserts', async () => ((await inserting()) === 2 ? true : undefined));
  // Four connections are all there are: these would wait if the other four requests held any.
  for (let n = 0; n < 3; n += 1) expect((await caller.call('GET', '/key')).status).toBe(200);
  const small = caller.call('GET', '/videos?limit=1');
  expect((await small).status).toBe(200);
  expect([await inserting(), answered]).toEqual([2, 0]);
  await holder.query('rollback');
  holder.release();
  expect(await Promise.all(posts)).toEqual([202, 202, 202, 202, 202, 202]);
});
