/** Implements the activities of the reference with which video jobs are compared. */
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';

export interface ReferenceTargets {
  /** The local upstream. */
  upstreamUrl: string;
  upstreamKey: string;
  receiverUrl: string;
  folder: string;
  database: pg.Pool;
}

/**
 * Creates activities with the same I/O as the product's: the same calls of upstream and receiver, the same file, and
 * one statement for each row that the product must store before it continues.
 */
export function createReferenceActivities(targets: ReferenceTargets) {
  const { database, upstreamUrl } = targets;
  const headers = { authorization: `Bearer ${targets.upstreamKey}` };
  return {
    async submit(jobId: string): Promise<string> {
      await database.query(`insert into reference_submissions values ($1, 'sending')`, [jobId]);
      const form = new FormData();
      form.set('model', 'clip-canned');
      form.set('prompt', 'a benchmark');
      const answer = await fetch(`${upstreamUrl}/videos`, { method: 'POST', headers, body: form });
      const { id } = (await answer.json()) as { id: string };
      await database.query(
        `update reference_submissions set state = 'accepted', upstream_id = $2 where job_id = $1`,
        [jobId, id],
      );
      return id;
    },
    async check(jobId: string, upstreamId: string): Promise<void> {
      const answer = await fetch(`${upstreamUrl}/videos/${upstreamId}`, { headers });
      const { status } = (await answer.json()) as { status: string };
      await database.query('update reference_jobs set state = $2 where id = $1', [jobId, status]);
      if (status !== 'completed') throw new Error(status);
    },
    async store(jobId: string, upstreamId: string): Promise<void> {
      const answer = await fetch(`${upstreamUrl}/videos/${upstreamId}/content`, { headers });
      const file = createWriteStream(path.join(targets.folder, `${jobId}.mp4`), { flush: true });
      await pipeline(Readable.fromWeb(answer.body as never), file);
      await database.query('insert into reference_outputs values ($1, $2)', [jobId, file.bytesWritten]);
    },
    async settle(jobId: string): Promise<void> {
      const payload = JSON.stringify({ type: 'video.generation.completed', data: { id: jobId } });
      await database.query(
        `with ended as (update reference_jobs set state = 'settled' where id = $1 returning id),
              billed as (insert into reference_ledger select id, 0.01 from ended)
         insert into reference_outbox select id, $2, 'pending' from ended`,
        [jobId, payload],
      );
    },
    async deliver(jobId: string): Promise<void> {
      const { rows } = await database.query<{ payload: string }>(
        `with attempt as (insert into reference_attempts values ($1, 'sending'))
         select payload from reference_outbox where job_id = $1`,
        [jobId],
      );
      const answer = await fetch(targets.receiverUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: rows[0]!.payload,
      });
      await database.query(
        `with attempt as (update reference_attempts set outcome = $2 where job_id = $1)
         update reference_outbox set state = $2 where job_id = $1`,
        [jobId, answer.ok ? 'delivered' : 'failed'],
      );
    },
  };
}

export type ReferenceActivities = ReturnType<typeof createReferenceActivities>;
