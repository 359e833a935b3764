import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';

export interface ReferenceTargets {
  /** The local upstream, with its key. */
  upstreamUrl: string;
  upstreamKey: string;
  receiverUrl: string;
  folder: string;
  database: pg.Pool;
}

/** The same I/O as the product's activities, written down plainly: one upstream call, one row, one file each. */
export function createReferenceActivities(targets: ReferenceTargets) {
  const headers = { authorization: `Bearer ${targets.upstreamKey}` };
  return {
    async submit(jobId: string): Promise<string> {
      await targets.database.query('insert into reference_jobs (id, state) values ($1, $2)', [jobId, 'sent']);
      const form = new FormData();
      form.set('model', 'clip-canned');
      form.set('prompt', 'a benchmark');
      const answer = await fetch(`${targets.upstreamUrl}/videos`, { method: 'POST', headers, body: form });
      return ((await answer.json()) as { id: string }).id;
    },
    async check(upstreamId: string): Promise<void> {
      const answer = await fetch(`${targets.upstreamUrl}/videos/${upstreamId}`, { headers });
      const { status } = (await answer.json()) as { status: string };
      if (status !== 'completed') throw new Error(status);
    },
    async store(jobId: string, upstreamId: string): Promise<void> {
      const answer = await fetch(`${targets.upstreamUrl}/videos/${upstreamId}/content`, { headers });
      const file = createWriteStream(path.join(targets.folder, `${jobId}.mp4`), { flush: true });
      await pipeline(Readable.fromWeb(answer.body as never), file);
    },
    async settle(jobId: string): Promise<void> {
      await targets.database.query('update reference_jobs set state = $2 where id = $1', [
        jobId,
        'completed',
      ]);
    },
    async deliver(jobId: string): Promise<void> {
      const body = JSON.stringify({ type: 'video.generation.completed', data: { id: jobId } });
      await fetch(targets.receiverUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
    },
  };
}

export type ReferenceActivities = ReturnType<typeof createReferenceActivities>;
