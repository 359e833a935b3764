import { randomBytes } from 'node:crypto';
import type { FaultQueue, JobFault } from '../../upstream/faults.ts';

export type PredictionStatus = 'starting' | 'processing' | 'succeeded' | 'failed' | 'canceled' | 'aborted';

/** A prediction in memory. */
export interface Prediction {
  id: string;
  model: string;
  version: string;
  input: Record<string, unknown>;
  createdAtMs: number;
  /** From `Cancel-After`. */
  deadlineMs?: number;
  webhook?: string;
  webhookEvents: string[];
  /** Faults for the requests about it. */
  faults: FaultQueue;
  /** Faults in its own life. */
  script: JobFault[];
  /** In the address of its file. */
  token: string;
  retrieves: number;
  ended?: { status: PredictionStatus; atMs: number };
}

export function newPrediction(
  facts: Omit<Prediction, 'id' | 'token' | 'retrieves' | 'createdAtMs'>,
): Prediction {
  const [id, token] = [randomBytes(13).toString('hex'), randomBytes(16).toString('hex')];
  return { ...facts, id, token, retrieves: 0, createdAtMs: Date.now() };
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
  const { id, model, version, input, createdAtMs, deadlineMs, ended, script } = prediction;
  const status = statusOf(prediction);
  const isOver = status !== 'starting' && status !== 'processing';
  const failure = script.find((fault) => fault.kind === 'fail');
  return {
    id,
    model,
    version,
    input,
    status,
    output: status === 'succeeded' ? `${url}/delivery/${prediction.token}/out.mp4` : null,
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
