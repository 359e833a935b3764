/** Runs the minimal HTTP server with which the acceptance of video jobs is compared. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type pg from 'pg';

/** Accepts a request as a bare server would, and resolves with its id. */
export type BareAccept = (body: string) => Promise<string>;

/** Starts a bare Koa, which reads a body, accepts it and answers 202. It has no keys, validation or log. */
export async function startBareApi(accept: BareAccept): Promise<{ url: string; close(): Promise<void> }> {
  const app = new Koa();
  app.use(async (context) => {
    let body = '';
    for await (const chunk of context.req.setEncoding('utf8')) body += String(chunk);
    const id = await accept(body);
    context.status = 202;
    context.body = { id, polling_url: `/api/v1/videos/${id}`, status: 'pending' };
  });
  const server: Server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/videos`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** Inserts one row of the reference for each request. */
export function insertReferenceJob(database: pg.Pool): BareAccept {
  return async (body) => {
    const id = randomUUID();
    await database.query(`insert into reference_jobs (id, request, state) values ($1, $2, 'pending')`, [
      id,
      body,
    ]);
    return id;
  };
}
