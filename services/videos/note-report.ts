/** Records what a provider reports as billed for a video job. */
import { type RunningJob, termsAt } from '../../db/videos/running-job.ts';
import type { Submission } from '../../db/videos/submission-store.ts';
import { createVideoBillStore } from '../../db/videos/video-bill-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { costOfReport } from '../../domain/videos/video-price.ts';
import type { VideoStatus } from '../../providers/video-adapter.ts';

/** The end of a job at its provider, with the units that the provider reports. */
export type EndAtProvider = Pick<Exclude<VideoStatus, { state: 'running' }>, 'state' | 'report'>;

/**
 * Records the units of a job that its provider has ended, and their cost by the prices of the job's acceptance. A
 * completed job without a report costs its estimate, and a failed one nothing. Does nothing for a job with a fixed
 * price.
 */
export async function noteReport(
  { knex }: { knex: Handle },
  job: RunningJob,
  submission: Submission,
  { state, report }: EndAtProvider,
): Promise<void> {
  const terms = termsAt(job, submission);
  if (terms === undefined || (report === undefined && state !== 'completed')) return;
  const isPaid = state === 'completed' || state === 'cancelled';
  const chargeNanos = isPaid ? costOfReport(terms, report ?? {}) : null;
  await createVideoBillStore(knex).noteReport(job.id, submission.n, report ?? null, chargeNanos);
}
