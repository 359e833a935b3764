/** Adapts video jobs to requests in fal's queue. */
import { fieldsIn } from '../../domain/fields.ts';
import { parseErrorFields } from '../error-fields.ts';
import { parseJson, type ProviderHttp, type TextAnswer } from '../http.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { scrubVendorText } from '../public-message.ts';
import { openResultUrl } from '../result-url.ts';
import { parsePollAfter } from '../retry-after.ts';
import { vendorError } from '../vendor-error.ts';
import type { VendorCharge, VideoAdapter, VideoStatus, VideoSubmitRequest } from '../video-adapter.ts';
import { FAILED_MESSAGE, outputsAt, refusedCancel, tooLargeResult } from '../video-answers.ts';
import { reachableCallback } from '../video-requests.ts';
import { createCallbackParser } from './callback.ts';
import { createAppCall } from './input.ts';
import {
  errorTypeOf,
  flagsOf,
  operationSchema,
  readUnits,
  resultSchema,
  statusSchema,
  submittedSchema,
} from './schemas.ts';

type Settings = Pick<ProviderSettings, 'apiKey' | 'baseUrl' | 'outbound' | 'timeouts'>;

const MAX_REDIRECTS = 3;
/** The time by which fal's start deadline is later than the gateway's, which normally ends the job first. */
const START_SLACK_SECONDS = 60;
/** The statuses of a result that do not concern the job: the account, the rate, or a result that is not there. */
const ABOUT_THE_READER = new Set([401, 402, 403, 404, 408, 410, 425, 429]);

/**
 * Makes videos over fal's queue. Written from the pages "Queue", "Webhooks", "Request errors" and "Inference API" of
 * fal.ai/docs, its OpenAPI description of the queue, and recorded answers of April 2026, all read on 2026-11-28.
 * - The answer to a submission has URLs for status, result and cancel. Only their paths are used, below the base URL,
 *   so that the key is sent to no other host.
 * - The only statuses are IN_QUEUE, IN_PROGRESS and COMPLETED. Whether a job failed is known from its result, which
 *   then has an error status.
 * - The billed units are a header of the result (`x-fal-billable-units`); a callback does not have them.
 * - No idempotency key is documented, and requests cannot be listed by a reference of the gateway. A lost answer to a
 *   submission is an unknown outcome.
 * - `x-fal-request-timeout` limits the time until a runner begins. fal repeats requests that its runners lost.
 * - A cancel removes a queued request. A running one is asked to stop, which its app may ignore.
 * - Results are public URLs, fetched without the key.
 */
export function createFalVideo(http: ProviderHttp, settings: Settings): VideoAdapter {
  const { apiKey, baseUrl, outbound, timeouts } = settings;
  return {
    idempotentSubmit: false,
    webhook: 'per-job',
    checksSignatures: true,

    async submit(request, context) {
      const { path, input } = createAppCall(request);
      const call = {
        method: 'POST',
        path: path + webhookQuery(request, baseUrl),
        headers: startDeadline(request),
        body: input,
        timeoutMs: timeouts.submitMs,
      } as const;
      const { value } = await http.requestJson(call, submittedSchema, context);
      return operationSchema.parse({
        id: value.request_id,
        status: pathBelow(baseUrl, value.status_url),
        response: pathBelow(baseUrl, value.response_url),
        cancel: pathBelow(baseUrl, value.cancel_url),
      });
    },

    async status(operation, context) {
      const { status, response } = operationSchema.parse(operation);
      const answer = await http.requestJson({ method: 'GET', path: status }, statusSchema, context);
      const { status: stated, error, error_type: errorType } = answer.value;
      const vendorStatus = scrubVendorText(stated, [apiKey]);
      const retryAfterMs = parsePollAfter(answer.headers, Date.now());
      if (vendorStatus !== 'COMPLETED') return { state: 'running', vendorStatus, retryAfterMs };
      const hasFailed = typeof error === 'string' || typeof errorType === 'string';
      try {
        const result = await http.request({ method: 'GET', path: response }, context);
        return endOf(result, hasFailed, apiKey);
      } catch (failure) {
        return tooLargeResult(failure);
      }
    },

    async cancel(operation, context) {
      const { cancel: path } = operationSchema.parse(operation);
      const answer = await http.request({ method: 'PUT', path }, context);
      return answer.status < 300 ? { kind: 'stopped' } : refusedCancel(vendorError(answer, [apiKey]));
    },

    openOutput: (output, _operation, context) =>
      openResultUrl(output.location, MAX_REDIRECTS, outbound, context),

    parseCallback: createCallbackParser(baseUrl, outbound),
  };
}

function webhookQuery(request: VideoSubmitRequest, baseUrl: string): string {
  const callbackUrl = reachableCallback(request, baseUrl);
  return callbackUrl === undefined ? '' : `?fal_webhook=${encodeURIComponent(callbackUrl)}`;
}

function startDeadline({ maxRunSeconds }: VideoSubmitRequest): Record<string, string> {
  if (maxRunSeconds === undefined) return {};
  return { 'x-fal-request-timeout': `${maxRunSeconds + START_SLACK_SECONDS}` };
}

/** Returns the path of a returned URL below the base URL, which may have another host and a path of its own. */
function pathBelow(baseUrl: string, url: string): string {
  const base = `${new URL(baseUrl).pathname.replace(/\/+$/, '')}/`;
  const { pathname } = new URL(url);
  return pathname.startsWith(base) ? pathname.slice(base.length) : pathname.slice(1);
}

/** Returns how a job ended, by the answer to the request for its result. Throws if that answer does not tell. */
function endOf(answer: TextAnswer, hasFailed: boolean, apiKey: string | undefined): VideoStatus {
  const units = readUnits(answer.headers);
  const charge: VendorCharge = units === undefined ? {} : { report: { billable_units: units } };
  if (answer.status < 300) return { ...madeFrom(answer), ...charge };
  const type = errorTypeOf(answer);
  if (type === 'client_cancelled') return { state: 'cancelled', vendorStatus: type, ...charge };
  if (type === 'request_timeout') return { state: 'expired', vendorStatus: type, ...charge };
  const isOfJob = answer.status < 500 || hasFailed || type !== undefined;
  if (ABOUT_THE_READER.has(answer.status) || !isOfJob) throw vendorError(answer, [apiKey]);
  const message = scrubVendorText(parseErrorFields(answer.text).message ?? '', [apiKey]);
  const vendorStatus = scrubVendorText(type ?? `status_${answer.status}`, [apiKey]);
  return { state: 'failed', vendorStatus, publicMessage: message || FAILED_MESSAGE, ...charge };
}

/** Returns the files of a result; none if it has no address, such as a video in a data URL. */
function madeFrom({ status, text }: TextAnswer): VideoStatus {
  const result = parseJson(text, resultSchema, status);
  if (flagsOf(result).includes(true)) {
    const publicMessage = 'The provider flagged the content of the video';
    return { state: 'failed', vendorStatus: 'content_policy_violation', publicMessage };
  }
  const files = fieldsIn([result['video'], result['videos']].flat());
  return { state: 'completed', outputs: outputsAt(files.map(({ url }) => url)) };
}
