import { ProviderError } from '../../domain/provider-error.ts';
import type { ProviderCall, ProviderHttp } from '../http.ts';
import type { CallContext } from '../call-context.ts';
import type {
  CallbackNote,
  VendorCallback,
  VideoAdapter,
  VideoOperation,
  VideoOutput,
  VideoStatus,
  VideoSubmitRequest,
} from '../video-adapter.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { scrubVendorText } from '../public-message.ts';
import { parsePollAfter } from '../retry-after.ts';
import { openResultUrl } from '../result-url.ts';
import { verifyStandardWebhook } from '../standard-webhooks.ts';
import { createInput } from './input.ts';
import {
  callbackSchema,
  cancelSchema,
  operationSchema,
  type Prediction,
  predictionSchema,
} from './schemas.ts';

type Settings = Pick<ProviderSettings, 'apiKey' | 'baseUrl' | 'outbound' | 'timeouts' | 'webhookSecret'>;

const MAX_REDIRECTS = 3;
/** The gateway ends the job first; the vendor's own deadline is the net below, should that cancel get lost. */
const DEADLINE_SLACK_SECONDS = 60;
const DID_NOT_MAKE_IT = 'The provider could not generate the video';
const TERMINAL = new Set(['succeeded', 'failed', 'canceled', 'aborted']);
/** An end that a cancel could not change: the answer is 200 all the same, with the prediction as it is. */
const CAME_FIRST = new Set(['succeeded', 'failed']);
/** What a vendor answers to a cancel that comes too late. */
const WILL_NOT_CANCEL = new Set([400, 409, 422]);
const KNOWS_NO_SUCH_JOB = new Set([404, 410]);

/**
 * Video predictions over Replicate's HTTP API. Written from its OpenAPI description ("Replicate HTTP API",
 * 1.0.0-a1, as of 2026-03-16), the pages "Prediction lifecycle", "Receive webhooks", "Verify webhooks",
 * "Output files" and "Rate limits" of replicate.com/docs, the changelog of 2025-10-16 (deadlines), and
 * replicate-javascript of 2025-11-17.
 *
 * - Official models are run by name, all others only by version; a version may be written `owner/name:version`.
 * - Creating documents no idempotency key, and the list of predictions names nothing of ours: a lost answer
 *   to a create is an unknown outcome, and nothing is found again.
 * - `aborted` ended before it started, by the deadline we gave. `canceled` may be anyone's cancel or the
 *   deadline; which, only the times tell.
 * - Files are one URL or a list of them, below replicate.delivery, and are removed after an hour. They are
 *   fetched without the key: it goes to no address that an answer names.
 * - What a prediction costs is told nowhere; `metrics` has times only. That holds for canceled ones too, which are
 *   charged by the time that they ran.
 * - Callbacks are Standard Webhooks, signed with one secret per account (`GET /webhooks/default/secret`),
 *   repeated for about a minute; the page on them does not name `aborted`, so polling goes on beside them.
 */
export function createReplicateVideo(http: ProviderHttp, settings: Settings): VideoAdapter {
  const { apiKey, outbound, timeouts } = settings;
  return {
    idempotentSubmit: false,
    webhook: 'per-job',
    checksSignatures: settings.webhookSecret !== undefined,

    async submit(request, context) {
      const call = await createCall(request, settings, context);
      const timeoutMs = timeouts.submitMs;
      const { value } = await http.requestJson({ ...call, timeoutMs }, operationSchema, context);
      return value;
    },

    async status(operation, context) {
      const call = { method: 'GET', path: predictionPath(operation) } as const;
      const { value, headers } = await http.requestJson(call, predictionSchema, context);
      return toStatus(value, parsePollAfter(headers, Date.now()), apiKey);
    },

    async cancel(operation, context) {
      try {
        const path = `${predictionPath(operation)}/cancel`;
        const { value } = await http.requestJson({ method: 'POST', path }, cancelSchema, context);
        return { kind: CAME_FIRST.has(value?.status ?? '') ? 'not_stopped' : 'stopped' };
      } catch (error) {
        const status = error instanceof ProviderError ? (error.status ?? 0) : 0;
        if (KNOWS_NO_SUCH_JOB.has(status)) return { kind: 'stopped' };
        if (WILL_NOT_CANCEL.has(status)) return { kind: 'not_stopped' };
        throw error;
      }
    },

    openOutput: (output, _operation, context) =>
      openResultUrl(output.location, MAX_REDIRECTS, outbound, context),

    parseCallback: (callback) => parseCallback(callback, settings.webhookSecret),
  };
}

async function createCall(
  request: VideoSubmitRequest,
  settings: Settings,
  context: CallContext,
): Promise<ProviderCall> {
  const { upstreamModel, maxRunSeconds } = request;
  const input = await createInput(request, settings.outbound, context);
  const body = { input, ...webhookFields(request, settings.baseUrl) };
  const headers: Record<string, string> =
    maxRunSeconds === undefined ? {} : { 'cancel-after': `${maxRunSeconds + DEADLINE_SLACK_SECONDS}s` };
  // By name: owner/name. By version: its id alone, or owner/name:id.
  const [owner, name, ...rest] = upstreamModel.split('/');
  if (owner === undefined || name === undefined || rest.length > 0 || name.includes(':')) {
    return { method: 'POST', path: 'predictions', headers, body: { ...body, version: upstreamModel } };
  }
  const path = `models/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/predictions`;
  return { method: 'POST', path, headers, body };
}

/** The vendor takes https only. A stand-in for it that is itself reached over http may be told http. */
function webhookFields({ callbackUrl }: VideoSubmitRequest, baseUrl: string): Record<string, unknown> {
  if (callbackUrl === undefined) return {};
  if (!callbackUrl.startsWith('https:') && !baseUrl.startsWith('http:')) return {};
  return { webhook: callbackUrl, webhook_events_filter: ['completed'] };
}

function toStatus(
  prediction: Prediction,
  retryAfterMs: number | undefined,
  apiKey: string | undefined,
): VideoStatus {
  const word = prediction.status;
  switch (word) {
    case 'succeeded':
      return { state: 'completed', outputs: outputsOf(prediction.output) };
    case 'failed':
      return {
        state: 'failed',
        word,
        publicMessage: scrubVendorText(prediction.error ?? '', [apiKey]) || DID_NOT_MAKE_IT,
      };
    case 'canceled':
      return { state: endedByDeadline(prediction) ? 'expired' : 'cancelled', word };
    case 'aborted':
      return { state: 'expired', word };
    default:
      return { state: 'running', word, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
}

function endedByDeadline({ deadline, completed_at: completedAt }: Prediction): boolean {
  return Date.parse(completedAt ?? '') >= Date.parse(deadline ?? '');
}

/** Empty when the files are gone, or the model returned something else than files. */
function outputsOf(output: unknown): VideoOutput[] {
  const values: unknown[] = Array.isArray(output) ? output : [output];
  return values
    .filter((value) => typeof value === 'string')
    .filter((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''))
    .map((location, index) => ({ index, location }));
}

function parseCallback(callback: VendorCallback, secret: string | undefined): CallbackNote | 'not_authentic' {
  if (secret !== undefined && !verifyStandardWebhook(secret, callback)) return 'not_authentic';
  const parsed = callbackSchema.safeParse(parseObject(callback.body));
  if (!parsed.success) return 'not_authentic';
  const { id: operationId, status: word } = parsed.data;
  return { operationId, word, terminal: TERMINAL.has(word), signed: secret !== undefined };
}

function parseObject(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function predictionPath(operation: VideoOperation): string {
  return `predictions/${operationSchema.parse(operation).id}`;
}
