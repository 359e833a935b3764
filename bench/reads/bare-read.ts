/**
 * Runs the reference of `bench reads` in a separate process: a bare Koa that reads one generation with pg, by the
 * product's statement, and answers every caller with the row. It prints its origin. Arguments: the database's URL, the
 * number of connections, and the organization, which the product derives from the key.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pg from 'pg';
import { FIND_GENERATION } from '../../db/insights/generation-read-model.ts';
import { timestampOfId } from '../../domain/ids.ts';

const [url = '', poolMax = '', organizationId = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: Number(poolMax) });
const app = new Koa();
app.use(async (context) => {
  const id = String(context.query['id']);
  const values = [new Date(timestampOfId(id)), id, organizationId, null];
  const { rows } = await pool.query<object>({ ...FIND_GENERATION, values });
  context.status = rows.length === 1 ? 200 : 404;
  context.body = { data: rows[0] };
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
