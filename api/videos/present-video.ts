/** Presents video jobs, with their status and download URLs. */
import type { AcceptedVideo, Video } from '../../contract/videos/video.ts';
import { isTerminal } from '../../domain/videos/job.ts';
import { nanosToUsd } from '../../domain/money.ts';
import { pollDelayMs, type PollBounds } from '../../domain/videos/poll-pace.ts';
import type { VideoJob } from '../../domain/videos/video-job.ts';
import { API_BASE } from '../http/base-path.ts';
import type { Api } from '../http/route.ts';

/** Presents the initial answer, which has only these fields. */
export function presentAcceptedVideo({ id, status }: VideoJob): AcceptedVideo {
  return { id, polling_url: `${API_BASE}/videos/${id}`, status };
}

/** Presents a job at `nowMs`, with new signed URLs while its outputs are kept. */
export function presentVideo(job: VideoJob, api: Api, nowMs: number): Video {
  const { status, generationId, error, costNanos, isByok } = job;
  return {
    ...presentAcceptedVideo(job),
    ...presentState(job),
    ...(isTerminal(status) ? { generation_id: generationId } : {}),
    ...(error === undefined ? {} : { error }),
    ...presentOutputs(job, api, nowMs),
    ...(status === 'completed' || costNanos !== undefined
      ? {
          usage: {
            cost: costNanos === undefined ? null : isByok ? 0 : nanosToUsd(costNanos),
            is_byok: isByok,
          },
        }
      : {}),
  };
}

function presentState({
  status,
  model,
  createdAt,
  submittedAt,
  progressPercent,
  waiting,
  deadlineAt,
  cancelRequestedAt,
  webhook,
}: VideoJob) {
  return {
    model,
    created_at: createdAt.toISOString(),
    started_at: submittedAt?.toISOString() ?? null,
    progress: status === 'completed' ? 100 : (progressPercent ?? null),
    waiting:
      waiting === undefined
        ? null
        : {
            reason: waiting.reason,
            since: waiting.since.toISOString(),
            next_try_at: waiting.nextTryAt?.toISOString() ?? null,
          },
    deadline_at: deadlineAt.toISOString(),
    cancel_requested_at: cancelRequestedAt?.toISOString() ?? null,
    webhook:
      webhook === undefined
        ? null
        : {
            state: webhook.state,
            attempts: webhook.attempts,
            last_status: webhook.lastStatus,
            last_outcome: webhook.lastOutcome,
            last_reason: webhook.lastReason,
          },
  };
}

/** Returns the seconds until the caller's next poll of an open job, equal to the worker's own poll interval. */
export function pollAfterSeconds(
  { status, submittedAt, createdAt }: VideoJob,
  bounds: PollBounds,
  nowMs: number,
): number | undefined {
  if (isTerminal(status)) return undefined;
  return Math.ceil(pollDelayMs(bounds, nowMs - (submittedAt ?? createdAt).getTime()) / 1000);
}

/** Presents the outputs of a job. After their expiry there are none, even if files still exist. */
function presentOutputs(
  { id, status, outputs, outputsExpireAt }: VideoJob,
  { services, settings }: Api,
  nowMs: number,
): Pick<Video, 'unsigned_urls' | 'urls' | 'urls_expire_at' | 'expires_at'> {
  const expiresAtMs = outputsExpireAt?.getTime() ?? 0;
  if (status !== 'completed' || outputs.length === 0 || expiresAtMs <= nowMs) return {};
  const signedUntilSeconds = Math.floor(Math.min(nowMs + settings.signedUrlMs, expiresAtMs) / 1000);
  const origin = settings.publicUrl;
  return {
    unsigned_urls: outputs.map(({ index }) => `${origin}${API_BASE}/videos/${id}/content?index=${index}`),
    urls: outputs.map(({ index }) => {
      const path = outputPath(id, index);
      return `${origin}${path}?${services.urlSigner.sign(path, signedUntilSeconds)}`;
    }),
    urls_expire_at: signedUntilSeconds,
    expires_at: Math.floor(expiresAtMs / 1000),
  };
}

/** Returns the path that a signature covers. */
export function outputPath(jobId: string, index: number): string {
  return `${API_BASE}/videos/${jobId}/outputs/${index}`;
}
