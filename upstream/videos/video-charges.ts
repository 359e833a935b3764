/** Reports what the local upstream bills for a video, as vendors do. It bills nothing in fact. */
import type { ChargeKind } from './video-models.ts';
import { type VideoJob, type VideoState, stateOf } from './video-job.ts';

const FRAMES_PER_SECOND = 24;
const PIXELS_PER_TOKEN = 1_024;
const CREDITS_PER_SECOND = 5;
const CREDITS_WITHOUT_VIDEO = 2;

/** The fields and headers that are added to an answer about a video. */
export interface Charges {
  fields: Record<string, unknown>;
  headers: Record<string, string>;
}

/** Returns the report about a video in its present state. A fault may replace the number, or remove it. */
export function chargesOf(job: VideoJob, state: VideoState['status'] = stateOf(job).status): Charges {
  const { charges } = job.request.model;
  const isEnded = state !== 'queued' && state !== 'in_progress';
  const isReported = state === 'completed' || (charges === 'credits' && isEnded);
  const fault = job.script.find((each) => each.kind === 'charge');
  if (charges === undefined || !isReported || fault?.amount === null) return { fields: {}, headers: {} };
  const amount = fault?.amount ?? amountOf(charges, job, state);
  if (charges === 'units') return { fields: {}, headers: { 'x-fal-billable-units': `${amount}` } };
  if (charges === 'credits') return { fields: { cost: { credits: amount } }, headers: {} };
  return { fields: { usage: { completion_tokens: amount, total_tokens: amount } }, headers: {} };
}

function amountOf(charges: ChargeKind, { request }: VideoJob, state: VideoState['status']): number {
  const { durationSeconds, width, height } = request;
  if (charges === 'units') return durationSeconds;
  if (charges === 'credits') {
    return state === 'completed' ? durationSeconds * CREDITS_PER_SECOND : CREDITS_WITHOUT_VIDEO;
  }
  return Math.ceil((durationSeconds * width * height * FRAMES_PER_SECOND) / PIXELS_PER_TOKEN);
}
