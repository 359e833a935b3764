import { faultOf, type MadeJob } from './video-cloud.ts';

export type PredictionStatus = 'starting' | 'processing' | 'succeeded' | 'failed' | 'canceled' | 'aborted';

/** A prediction in memory. */
export interface Prediction extends MadeJob {
  model: string;
  version: string;
  input: Record<string, unknown>;
  createdAtMs: number;
  /** From `Cancel-After`. */
  deadlineMs?: number;
  webhook?: string;
  webhookEvents: string[];
  ended?: { status: PredictionStatus; atMs: number };
}

/** Without a script it succeeds at once. */
export function statusOf(prediction: Prediction): PredictionStatus {
  const { ended, script } = prediction;
  if (ended !== undefined) return ended.status;
  const kinds = script.map(({ kind }) => kind);
  if (kinds.includes('stall')) return 'processing';
  if (kinds.includes('fail')) return 'failed';
  if (kinds.includes('cancel')) return 'canceled';
  if (kinds.includes('expire')) return 'aborted';
  return 'succeeded';
}

/** The prediction object, every documented field present. */
export function presentPrediction(prediction: Prediction, url: string): Record<string, unknown> {
  const { id, model, version, input, createdAtMs, deadlineMs, ended } = prediction;
  const status = statusOf(prediction);
  const isOver = status !== 'starting' && status !== 'processing';
  const failure = faultOf(prediction, 'fail');
  return {
    id,
    model,
    version,
    input,
    status,
    output: status === 'succeeded' ? `${url}/delivery/${id}/out.mp4` : null,
    error: status === 'failed' ? (failure?.message ?? 'Prediction failed.') : null,
    logs: '',
    source: 'api',
    data_removed: false,
    created_at: time(createdAtMs),
    started_at: time(createdAtMs),
    ...(deadlineMs === undefined ? {} : { deadline: time(deadlineMs) }),
    ...(isOver ? { completed_at: time(ended?.atMs ?? createdAtMs), metrics: { predict_time: 0.5 } } : {}),
    urls: {
      web: `${url}/p/${id}`,
      get: `${url}/v1/predictions/${id}`,
      cancel: `${url}/v1/predictions/${id}/cancel`,
    },
  };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
