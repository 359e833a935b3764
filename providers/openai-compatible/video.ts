/** Adapts video jobs to servers with OpenAI's Videos API. */
import type { IncomingHttpHeaders } from 'node:http';
import type { VendorReport } from '../../domain/catalog/video-meters.ts';
import type { ProviderCall, ProviderHttp } from '../http.ts';
import type { CallContext } from '../call-context.ts';
import type {
  CancelAnswer,
  VideoAdapter,
  VideoOperation,
  VideoStatus,
  VideoSubmitRequest,
} from '../video-adapter.ts';
import { FAILED_MESSAGE, isJobNotFound, refusedCancel, statusOf } from '../video-answers.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import type { OutboundFetch } from '../reference-media.ts';
import { parsePollAfter } from '../retry-after.ts';
import { openRequestedFile } from '../result-url.ts';
import { createRemixBody, createVideoForm, type VideoFields } from './video-form.ts';
import { anySchema, operationSchema, videoAnswer } from './video-schemas.ts';

export interface VideoWireOptions {
  http: ProviderHttp;
  settings: Pick<ProviderSettings, 'outbound' | 'timeouts'>;
  fields?: VideoFields;
  /** Set only if the vendor documents that a repeated key makes one job. */
  idempotencyHeader?: string;
  /** Reads the units that the server reports as billed, from the video and the headers of its answer. */
  readCharges?: ReadCharges;
}

type ReadCharges = (video: unknown, headers: IncomingHttpHeaders) => VendorReport | undefined;

const noCharges: ReadCharges = () => undefined;

/** The status of a server that cannot cancel. */
const NOT_SUPPORTED = 405;
/** The timeout of the status check before a cancel. */
const STATUS_CHECK_MS = 1_000;

/**
 * Makes videos over OpenAI's `/v1/videos`, which other servers still use (the vendor's own service ended on
 * 2026-09-24). Written from its OpenAPI description of 2026-08-21 and vLLM-Omni's "Videos API" page of the same month.
 * - Creation is always a form: vLLM-Omni takes no JSON.
 * - The wire promises no idempotency: a lost answer to a create is an unknown outcome.
 * - DELETE is the only cancel. OpenAI documents it for ended jobs only; vLLM-Omni's aborts running ones. It also
 *   deletes a completed job without saying so, so the job's status is checked first.
 * - The wire has no place for the cost of a job. `readCharges` reads what a server reports beside it.
 * - Beyond the four documented statuses, `cancelled` and `expired` end a job. All others count as running; the deadline
 *   ends such jobs.
 */
export function createVideoAdapter(options: VideoWireOptions): VideoAdapter {
  const { http, fields = {}, idempotencyHeader, readCharges = noCharges } = options;
  const { outbound, timeouts } = options.settings;

  return {
    idempotentSubmit: idempotencyHeader !== undefined,
    webhook: 'none',

    async submit(request, context) {
      const call = await createCall(request, fields, outbound, context);
      const headers = idempotencyHeader === undefined ? {} : { [idempotencyHeader]: request.idempotencyKey };
      const timeoutMs = timeouts.submitMs;
      const { value } = await http.requestJson({ ...call, headers, timeoutMs }, operationSchema, context);
      return value;
    },

    async status(operation, context) {
      const answer = await getVideo(http, operation, context);
      const status = toStatus(answer, operation);
      const report = readCharges(answer.value.answer, answer.headers);
      return report === undefined || status.state === 'running' ? status : { ...status, report };
    },

    cancel: (operation, context) => cancel(http, operation, context, readCharges),

    async openOutput(output, _operation, context) {
      const answer = await http.openFile(output.location, context);
      return openRequestedFile(answer, outbound, context);
    },
  };
}

async function cancel(
  http: ProviderHttp,
  operation: VideoOperation,
  context: CallContext,
  readCharges: ReadCharges,
): Promise<CancelAnswer> {
  if (await hasCompleted(http, operation, context)) return { kind: 'not_stopped' };
  try {
    const call = { method: 'DELETE', path: videoPath(operation) } as const;
    const { value, headers } = await http.requestJson(call, anySchema, context);
    return { kind: 'stopped', report: readCharges(value, headers) };
  } catch (error) {
    if (statusOf(error) === NOT_SUPPORTED) return { kind: 'not_stopped' };
    if (!isJobNotFound(error)) return refusedCancel(error);
    return { kind: (await isGone(http, operation, context)) ? 'stopped' : 'not_stopped' };
  }
}

/**
 * Returns whether the job has completed. Returns false if the vendor does not answer in time, so that the cancel is
 * sent.
 */
async function hasCompleted(
  http: ProviderHttp,
  operation: VideoOperation,
  context: CallContext,
): Promise<boolean> {
  try {
    const { value } = await getVideo(http, operation, context, STATUS_CHECK_MS);
    return value.video.status === 'completed';
  } catch {
    return false;
  }
}

/**
 * Returns whether the vendor no longer has the job. A 404 to DELETE does not show that, because a server without a
 * route for DELETE answers it too.
 */
async function isGone(http: ProviderHttp, operation: VideoOperation, context: CallContext): Promise<boolean> {
  try {
    const { value } = await getVideo(http, operation, context);
    return value.video.status === 'cancelled';
  } catch (error) {
    if (isJobNotFound(error)) return true;
    throw error;
  }
}

function getVideo(http: ProviderHttp, operation: VideoOperation, context: CallContext, timeoutMs?: number) {
  const call = { method: 'GET', path: videoPath(operation) } as const;
  return http.requestJson(timeoutMs === undefined ? call : { ...call, timeoutMs }, videoAnswer, context);
}

async function createCall(
  request: VideoSubmitRequest,
  fields: VideoFields,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<ProviderCall> {
  const { previousOperation } = request;
  return {
    method: 'POST',
    ...(previousOperation === undefined
      ? { path: 'videos', body: await createVideoForm(request, fields, outbound, context) }
      : { path: `${videoPath(previousOperation)}/remix`, body: createRemixBody(request, fields) }),
  };
}

function toStatus(
  { value: { video }, headers, scrub }: Awaited<ReturnType<typeof getVideo>>,
  operation: VideoOperation,
): VideoStatus {
  // The status is stored with the job and its run, so it must not contain the key.
  const vendorStatus = scrub(video.status);
  switch (vendorStatus) {
    case 'completed':
      return { state: 'completed', outputs: [{ index: 0, location: `${videoPath(operation)}/content` }] };
    case 'failed': {
      const message = scrub(video.error?.message ?? '');
      const code = scrub(video.error?.code ?? vendorStatus);
      return { state: 'failed', vendorStatus: code, publicMessage: message || FAILED_MESSAGE };
    }
    case 'cancelled':
    case 'expired':
      return { state: vendorStatus, vendorStatus };
    default:
      return {
        state: 'running',
        vendorStatus,
        progressPercent: video.progress,
        retryAfterMs: parsePollAfter(headers, Date.now()),
      };
  }
}

function videoPath(operation: VideoOperation): string {
  return `videos/${encodeURIComponent(operationSchema.parse(operation).id)}`;
}
