/** Reports what the local upstream bills for a video, as vendors do. It bills nothing in fact. */
import { tokenize } from '../chat/tokens.ts';
import type { ChargeKind } from './video-models.ts';
import { type VideoJob, type VideoState, stateOf } from './video-job.ts';

const FRAMES_PER_SECOND = 24;
const PIXELS_PER_TOKEN = 1_024;
const CREDITS_PER_SECOND = 5;
const CREDITS_WITHOUT_VIDEO = 2;
const DEDUCTION_PER_SECOND = 1.75;
/** Half a cent and a tick, whose value is a tenth of a nanodollar. */
const TICKS_PER_SECOND = 50_000_001;
const SOUND_TOKENS_PER_SECOND = 25;
const TEXT_TOKENS = 12;

/** The fields and headers that are added to an answer about a video. */
export interface Charges {
  fields: Record<string, unknown>;
  headers: Record<string, string>;
}

const NO_CHARGES: Charges = { fields: {}, headers: {} };

/** Returns the report about a video in its present state. A fault may replace its number, or remove the report. */
export function chargesOf(job: VideoJob, state: VideoState['status'] = stateOf(job).status): Charges {
  const { charges } = job.request.model;
  const isEnded = state !== 'queued' && state !== 'in_progress';
  const isReported = state === 'completed' || (charges === 'credits' && isEnded);
  const fault = job.script.find((each) => each.kind === 'charge');
  if (charges === undefined || !isReported || fault?.amount === null) return NO_CHARGES;
  return PRESENT[charges](fault?.amount ?? amountOf(charges, job, state), job);
}

/** Returns the number that a report is about. In `modalities`, it is the tokens of the video. */
function amountOf(charges: ChargeKind, { request }: VideoJob, state: VideoState['status']): number | string {
  const { durationSeconds, width, height } = request;
  switch (charges) {
    case 'units':
      return durationSeconds;
    case 'credits':
      return state === 'completed' ? durationSeconds * CREDITS_PER_SECOND : CREDITS_WITHOUT_VIDEO;
    case 'deduction':
      return `${durationSeconds * DEDUCTION_PER_SECOND}`;
    case 'ticks':
      return durationSeconds * TICKS_PER_SECOND;
    case 'tokens':
    case 'modalities':
      return Math.ceil((durationSeconds * width * height * FRAMES_PER_SECOND) / PIXELS_PER_TOKEN);
  }
}

/** Writes a number in the form of a vendor. */
const PRESENT: Record<ChargeKind, (amount: number | string, job: VideoJob) => Charges> = {
  tokens: (amount) => inFields({ usage: { completion_tokens: amount, total_tokens: amount } }),
  units: (amount) => ({ fields: {}, headers: { 'x-fal-billable-units': `${amount}` } }),
  credits: (amount) => inFields({ cost: { credits: amount } }),
  deduction: (amount) => inFields({ data: { task_status: 'succeed', final_unit_deduction: amount } }),
  ticks: (amount) => inFields({ usage: { cost_in_usd_ticks: amount } }),
  modalities: (amount, { request }) => {
    const prompt = tokenize(request.prompt).length;
    const sound = request.durationSeconds * SOUND_TOKENS_PER_SECOND;
    const output = Number(amount) + sound + TEXT_TOKENS;
    const usage = {
      total_tokens: prompt + output,
      total_input_tokens: prompt,
      input_tokens_by_modality: [{ modality: 'text', tokens: prompt }],
      total_output_tokens: output,
      output_tokens_by_modality: [
        { modality: 'video', tokens: amount },
        { modality: 'audio', tokens: sound },
        { modality: 'text', tokens: TEXT_TOKENS },
      ],
    };
    return inFields({ usage });
  },
};

function inFields(fields: Record<string, unknown>): Charges {
  return { fields, headers: {} };
}
