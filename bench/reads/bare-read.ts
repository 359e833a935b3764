/**
 * The reference of `bench reads`, in a process of its own: a bare Koa that reads one generation with pg, by the same
 * statement as the product, and answers the row, whoever asks. It prints its origin. Arguments: the database's URL, how
 * many connections, and the organization, as what the key of the product says.
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
