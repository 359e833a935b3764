import { expect } from '@jest/globals';
import type { TerminalEnd } from '../../domain/videos/job.ts';
import type { VideoAdapter } from '../../providers/video-adapter.ts';
import { checkJob } from '../../services/videos/check-job.ts';
import { settleJob } from '../../services/videos/settle-job.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import type { SubmitScene } from '../services/videos/submit-scene.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';
import { submit } from './jobs.ts';

/** A clip of one second, which the local upstream renders quickly. */
export const CLIP = { prompt: 'a kite', duration: 1, resolution: '360p' };

/** What is on record of a job's bill, in nanodollars. */
export interface BillFacts {
  status: string;
  /** What was reserved while the job was open. */
  reserved: string;
  cost: string | null;
  billed: string | null;
  report: Record<string, string> | null;
  flag: string | null;
}

export async function billOf(gateway: Gateway, jobId: string): Promise<BillFacts> {
  const { rows } = await gateway.database.query<BillFacts>(
    `select j.status, j.price_nanos reserved, j.cost_nanos cost, g.cost_nanos billed, s.report, j.billing_flag flag
     from video_jobs j left join generations g on g.id = j.generation_id
       left join job_submissions s on s.job_id = j.id and s.state = 'accepted' where j.id = $1`,
    [jobId],
  );
  return rows[0]!;
}

/** Opens a job and submits it. */
export async function acceptedClip(
  scene: SubmitScene,
  model: string,
  faults: FaultInput[] = [],
  body: object = {},
): Promise<string> {
  const { id } = await submit(scene.gateway, {
    ...CLIP,
    model,
    provider: { options: { local: { faults } } },
    ...body,
  });
  expect((await scene.attempt(id)).kind).toBe('accepted');
  return id;
}

/** Asks the provider until the job has ended there. Returns the end; the files are not stored. */
export function endAtProvider(
  scene: SubmitScene,
  jobId: string,
  videoAdapter: (slug: string) => VideoAdapter | undefined = scene.deps.video.videoAdapter,
): Promise<TerminalEnd> {
  const context = { signal: new AbortController().signal, requestId: jobId };
  return eventually(`the end of ${jobId} at the provider`, async () => {
    const step = await checkJob({ ...scene.deps.video, videoAdapter }, jobId, context);
    if (step.kind === 'retry') return undefined;
    return step.kind === 'ended' ? step.end : { status: 'completed' };
  });
}

/** Runs a job to its end at the provider and settles it so. */
export async function finishedClip(
  scene: SubmitScene,
  model: string,
  faults: FaultInput[] = [],
  body: object = {},
): Promise<string> {
  const jobId = await acceptedClip(scene, model, faults, body);
  await settleJob(scene.deps.video, jobId, await endAtProvider(scene, jobId));
  return jobId;
}
