/**
 * Runs the reference of `bench accept` in a separate process: a bare Koa that inserts the product's row and answers. It
 * prints its URL. Its argument is JSON with the columns that have the same value for every job.
 */
import pg from 'pg';
import { newGenerationId, newVideoJobId } from '../../domain/ids.ts';
import { startBareApi } from '../bare-api.ts';

const account = JSON.parse(process.argv[2] ?? '{}') as {
  organizationId: string;
  workspaceId: string;
  keyId: number;
  poolMax: number;
};
const { organizationId, workspaceId, keyId, poolMax } = account;
const database = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: poolMax });
const PRICE_NANOS = '10000000';

const { url } = await startBareApi(async (body) => {
  const now = Date.now();
  const id = newVideoJobId(now);
  await database.query(
    `insert into video_jobs (id, generation_id, organization_id, workspace_id, key_id, model, provider,
                             endpoint_ids, request_facts, request_bytes, price_nanos, deadline_at,
                             created_at)
     values ($1, $2, $3, $4, $5, 'local/clip-canned', 'local', '{local/clip-canned@local}', $6, $7, $8,
             now() + interval '1 day', now())`,
    [
      id,
      newGenerationId(now),
      organizationId,
      workspaceId,
      keyId,
      body,
      Buffer.byteLength(body),
      PRICE_NANOS,
    ],
  );
  return id;
});
process.stdout.write(`${url}\n`);
