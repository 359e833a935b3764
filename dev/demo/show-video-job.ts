import { createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Video } from '../../contract/videos/video.ts';
import { videoWebhookEvent } from '../../contract/webhook-events.ts';
import { isTerminal } from '../../domain/videos/job.ts';
import { videoWorkflowId } from '../../domain/runs.ts';
import type { DevFile } from '../stack/dev-file.ts';
import type { Progress } from '../progress.ts';
import { createSluiceClient, type SluiceClient } from './sluice-client.ts';
import { StackError } from '../stack-error.ts';
import { createWebhookReceiver } from './webhook-receiver.ts';

const JOB_TIMEOUT_MS = 180_000;
const WEBHOOK_TIMEOUT_MS = 60_000;
const DOWNLOAD_TIMEOUT_MS = 60_000;
const POLL_MS = 500;

/**
 * Runs one job as a customer would: submit, poll, webhook, download into the folder. Throws a StackError that names the
 * failed step.
 */
export async function showVideoJob(facts: DevFile, folder: string, progress: Progress): Promise<void> {
  const { say } = progress;
  const client = createSluiceClient(facts);
  const receiver = await createWebhookReceiver(facts.webhook_secret);
  try {
    const model = await client.localModel();
    const prompt = 'A paper boat crossing a rain puddle';
    const accepted = await client.submitVideo({ model, prompt, callback_url: receiver.url });
    say(`\nSubmitted "${prompt}" to ${model}`);
    say(`  job        ${accepted.id}`);
    if (facts.temporal_ui !== null) say(`  workflow   ${workflowUrl(facts.temporal_ui, accepted.id)}`);
    const job = await watchJob(client, accepted.id, say);
    checkEvent(await receiver.received(WEBHOOK_TIMEOUT_MS), job);
    say('  webhook    received, signature verified');
    const file = path.join(folder, `${job.id}.mp4`);
    const bytes = await downloadMp4(job, file);
    say(`  video      ${path.relative(process.cwd(), file)} (${bytes} bytes)`);
    say(`  cost       $${job.usage?.cost}`);
    say(`  page       ${facts.base_url.replace(/\/api\/v1$/, '')}/console/jobs/${job.id}`);
    say('\nAll of it worked.');
  } finally {
    receiver.close();
  }
}

function workflowUrl(temporalUi: string, jobId: string): string {
  const namespace = process.env['TEMPORAL_NAMESPACE'] || 'default';
  return `${temporalUi}/namespaces/${namespace}/workflows/${videoWorkflowId(jobId)}`;
}

/** Polls until the job is over, printing each new status. Throws unless it completed. */
async function watchJob(client: SluiceClient, jobId: string, say: Progress['say']): Promise<Video> {
  const startedAt = Date.now();
  let shown = '';
  for (;;) {
    const job = await client.getVideo(jobId);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    if (job.status !== shown) say(`  status     ${job.status} after ${seconds} s`);
    shown = job.status;
    if (job.status === 'completed') return job;
    if (isTerminal(job.status)) throw new StackError(`The job ${job.status}: ${job.error}`);
    if (Date.now() - startedAt > JOB_TIMEOUT_MS) {
      throw new StackError(
        `The job is still ${job.status} after ${seconds} s. Its workflow says what it waits for.`,
      );
    }
    await delay(POLL_MS);
  }
}

function checkEvent(body: unknown, job: Video): void {
  const event = videoWebhookEvent.safeParse(body);
  if (event.success && event.data.data.id === job.id && event.data.data.status === job.status) return;
  throw new StackError(`The webhook is not about job ${job.id}: ${JSON.stringify(body)}`);
}

/** Downloads the first output by its signed URL, without a key. Returns its size in bytes. */
async function downloadMp4(job: Video, file: string): Promise<number> {
  const url = job.urls?.[0];
  if (url === undefined) throw new StackError('The completed job has no download URL.');
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!response.ok || response.body === null) {
    throw new StackError(`The download answered ${response.status}: ${await response.text()}`);
  }
  await mkdir(path.dirname(file), { recursive: true });
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
  return requireMp4(file);
}

/** Throws unless a file is an MP4, which has `ftyp` after the four bytes of its first length. */
async function requireMp4(file: string): Promise<number> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(8), 0, 8, 0);
    if (buffer.toString('latin1', 4) !== 'ftyp') throw new StackError(`${file} is not an MP4.`);
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}
