/** Adapts video jobs to predictions on Replicate. */
import type { JsonAnswer, ProviderCall, ProviderHttp } from '../http.ts';
import type {
  CallbackNote,
  VendorCallback,
  VideoAdapter,
  VideoOperation,
  VideoStatus,
  VideoSubmitRequest,
} from '../video-adapter.ts';
import { FAILED_MESSAGE, outputsAt, readCallback, refusedCancel } from '../video-answers.ts';
import { reachableCallback } from '../video-requests.ts';
import type { ProviderSettings } from '../provider-settings.ts';
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

type Settings = Pick<ProviderSettings, 'baseUrl' | 'outbound' | 'timeouts' | 'webhookSecret'>;

const MAX_REDIRECTS = 3;
/**
 * The time by which the vendor's deadline is later than the gateway's. The vendor's deadline matters only if the
 * gateway's cancel gets lost.
 */
const DEADLINE_SLACK_SECONDS = 60;
const TERMINAL = new Set(['succeeded', 'failed', 'canceled', 'aborted']);
/**
 * The final states that a cancel cannot change. The answer to the cancel is still a 200, with the unchanged prediction.
 */
const NOT_CANCELLABLE = new Set(['succeeded', 'failed']);

/**
 * Makes videos over Replicate's HTTP API. Written from its OpenAPI description ("Replicate HTTP API", 1.0.0-a1, as of
 * 2026-03-16), the pages "Prediction lifecycle", "Receive webhooks", "Verify webhooks", "Output files" and "Rate
 * limits" of replicate.com/docs, the changelog of 2025-10-16 (deadlines), and replicate-javascript of 2025-11-17.
 * - Official models are run by name, all others by version; a version may be written `owner/name:version`.
 * - Creating has no documented idempotency key, and the list of predictions contains no id of the gateway. A lost
 *   answer to a create is an unknown outcome, and its job cannot be found.
 * - `aborted`: the deadline passed before the start. `canceled`: a cancel, or the deadline; only the times distinguish
 *   them.
 * - The output is one URL or a list of them, below replicate.delivery, removed after an hour. Files are fetched without
 *   the key, which is sent to no address in an answer.
 * - The API does not report costs; `metrics` has times only. Canceled predictions are charged for their running time.
 * - Callbacks are Standard Webhooks, signed with one secret per account (`GET /webhooks/default/secret`), and repeated
 *   for about a minute. Their page does not mention `aborted`, so polling continues beside them.
 */
export function createReplicateVideo(http: ProviderHttp, settings: Settings): VideoAdapter {
  const { outbound, timeouts } = settings;
  return {
    idempotentSubmit: false,
    webhook: 'per-job',
    checksSignatures: settings.webhookSecret !== undefined,

    async submit(request, context) {
      const call = createCall(request, settings);
      const timeoutMs = timeouts.submitMs;
      const { value } = await http.requestJson({ ...call, timeoutMs }, operationSchema, context);
      return value;
    },

    async status(operation, context) {
      const call = { method: 'GET', path: predictionPath(operation) } as const;
      return toStatus(await http.requestJson(call, predictionSchema, context));
    },

    async cancel(operation, context) {
      try {
        const path = `${predictionPath(operation)}/cancel`;
        const { value } = await http.requestJson({ method: 'POST', path }, cancelSchema, context);
        return { kind: NOT_CANCELLABLE.has(value?.status ?? '') ? 'not_stopped' : 'stopped' };
      } catch (error) {
        return refusedCancel(error);
      }
    },

    openOutput: (output, _operation, context) =>
      openResultUrl(output.location, MAX_REDIRECTS, outbound, context),

    parseCallback: (callback) => parseCallback(callback, settings.webhookSecret),
  };
}

function createCall(request: VideoSubmitRequest, { baseUrl }: Settings): ProviderCall {
  const { upstreamModel, maxRunSeconds } = request;
  const webhook = reachableCallback(request, baseUrl);
  const body = {
    input: createInput(request),
    ...(webhook !== undefined && { webhook, webhook_events_filter: ['completed'] }),
  };
  const headers: Record<string, string> =
    maxRunSeconds === undefined ? {} : { 'cancel-after': `${maxRunSeconds + DEADLINE_SLACK_SECONDS}s` };
  // A model is named `owner/name`, a version by its id alone or `owner/name:id`.
  const [owner, name, ...rest] = upstreamModel.split('/');
  if (owner === undefined || name === undefined || rest.length > 0 || name.includes(':')) {
    return { method: 'POST', path: 'predictions', headers, body: { ...body, version: upstreamModel } };
  }
  const path = `models/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/predictions`;
  return { method: 'POST', path, headers, body };
}

function toStatus({ value: prediction, headers, scrub }: JsonAnswer<Prediction>): VideoStatus {
  const vendorStatus = scrub(prediction.status);
  switch (vendorStatus) {
    case 'succeeded':
      return { state: 'completed', outputs: outputsAt([prediction.output].flat()) };
    case 'failed':
      return {
        state: 'failed',
        vendorStatus,
        publicMessage: scrub(prediction.error ?? '') || FAILED_MESSAGE,
      };
    case 'canceled':
      return { state: endedByDeadline(prediction) ? 'expired' : 'cancelled', vendorStatus };
    case 'aborted':
      return { state: 'expired', vendorStatus };
    default:
      return { state: 'running', vendorStatus, retryAfterMs: parsePollAfter(headers, Date.now()) };
  }
}

function endedByDeadline({ deadline, completed_at: completedAt }: Prediction): boolean {
  return Date.parse(completedAt ?? '') >= Date.parse(deadline ?? '');
}

function parseCallback(callback: VendorCallback, secret: string | undefined): CallbackNote | 'not_authentic' {
  if (secret !== undefined && !verifyStandardWebhook(secret, callback)) return 'not_authentic';
  const parsed = readCallback(callbackSchema, callback.body);
  if (parsed === undefined) return 'not_authentic';
  const { id: operationId, status: vendorStatus } = parsed;
  return { operationId, vendorStatus, terminal: TERMINAL.has(vendorStatus), signed: secret !== undefined };
}

function predictionPath(operation: VideoOperation): string {
  return `predictions/${operationSchema.parse(operation).id}`;
}
