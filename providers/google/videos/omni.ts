/** Adapts video jobs to interactions with Google's Omni models. */
import type { CallContext } from '../../call-context.ts';
import type { JsonAnswer, ProviderCall, ProviderHttp } from '../../http.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { parsePollAfter } from '../../retry-after.ts';
import type { VideoAdapter, VideoOperation, VideoStatus } from '../../video-adapter.ts';
import { FAILED_MESSAGE, refusedCancel, tooLargeResult } from '../../video-answers.ts';
import { reachableCallback } from '../../video-requests.ts';
import { parseGoogleCallback } from './callback.ts';
import { createFileOpener, filePathOf, type VideoAccess } from './files.ts';
import { openInlineVideo } from './inline-video.ts';
import { createInteraction, type InteractionForm } from './input.ts';
import { readWithoutLongStrings } from './long-strings.ts';
import { refusalOf } from './refusals.ts';
import { cancelSchema, fileSchema, type Interaction, interactionSchema, operationSchema } from './schemas.ts';

type Settings = Pick<ProviderSettings, 'baseUrl' | 'outbound' | 'timeouts' | 'webhookSecret'>;

const NO_VIDEO_MESSAGE = 'The provider made no video; its filters may have stopped it';
/** Final statuses without a video, and those that wait for an answer of the client, which a video never gets. */
const FAILED = new Set([
  'failed',
  'incomplete',
  'budget_exceeded',
  'requires_action',
  'requires_continuation',
]);

/**
 * Makes videos over `POST /interactions` of Gemini's API. Written from the pages "Omni", "Interactions" and "Webhooks"
 * of ai.google.dev and the types of `@google/genai` 3.1.0, as they were on 2026-11-28.
 * - No idempotency key is documented, and interactions cannot be listed. A lost answer to a submission is an unknown
 *   outcome.
 * - Without `background` the API answers when the video is made. Interactions are kept for 55 days, or for a day
 *   without billing.
 * - Videos are requested as files. The page says that a later answer may hold the video in base64 nevertheless, so
 *   answers are read without their long strings, and such a video is decoded as it arrives. All of the answer must
 *   arrive within the timeout of a status check.
 * - A refusal by a filter is `completed` without a video, often with words of the model. Such a job costs nothing here.
 * - An unknown interaction is a 400 ("Invalid interaction name").
 * - The bill is in tokens by modality, known at the end. The video's tokens include its sound.
 */
export function createOmniVideo(http: ProviderHttp, settings: Settings): VideoAdapter {
  const { baseUrl, outbound, webhookSecret } = settings;
  const access = { ...settings, http, open: createFileOpener(http, baseUrl, outbound) };
  const toFormat: InteractionForm = (format) => ({ type: 'video', delivery: 'uri', ...format });
  const interactions = createInteractions(access, toFormat);
  return {
    ...interactions,
    webhook: 'per-job',
    checksSignatures: webhookSecret !== undefined,
    submit: (request, context) =>
      interactions.submit({ ...request, callbackUrl: reachableCallback(request, baseUrl) }, context),

    async cancel(operation, context) {
      const call = callOf(operation);
      const stop = { ...call, method: 'POST', path: `${call.path}/cancel` } as const;
      try {
        const { value } = await http.requestJson(stop, cancelSchema, context);
        const isTooLate = value !== null && (value.status === 'completed' || FAILED.has(value.status));
        return isTooLate ? { kind: 'not_stopped' } : { kind: 'stopped', ...value?.charge };
      } catch (error) {
        return refusedCancel(error);
      }
    },

    parseCallback: (callback) => parseGoogleCallback(callback, webhookSecret),
  };
}

/** Makes videos over one of Google's two APIs of interactions, which take the shape of a video in different forms. */
export function createInteractions(access: VideoAccess, toFormat: InteractionForm): VideoAdapter {
  const { http, outbound, timeouts, open } = access;
  return {
    idempotentSubmit: false,
    webhook: 'none',

    async submit(request, context) {
      const body = await createInteraction(request, toFormat, outbound, context);
      const timeoutMs = timeouts.submitMs;
      const call = { method: 'POST', path: 'interactions', body, timeoutMs, refusalOf } as const;
      return (await http.requestJson(call, operationSchema, context)).value;
    },

    async status(operation, context) {
      try {
        const answer = await http.requestJson(callOf(operation), interactionSchema, context);
        return await statusOf(answer, access, context);
      } catch (error) {
        return tooLargeResult(error);
      }
    },

    openOutput: async ({ location }, operation, context) =>
      (await openInlineVideo(location, http, callOf(operation), context)) ?? open(location, context),
  };
}

function callOf(operation: VideoOperation): ProviderCall {
  const path = `interactions/${encodeURIComponent(operationSchema.parse(operation).id)}`;
  return { method: 'GET', path, readText: readWithoutLongStrings, refusalOf };
}

async function statusOf(
  { value, headers, scrub }: JsonAnswer<Interaction>,
  { http, baseUrl }: VideoAccess,
  context: CallContext,
): Promise<VideoStatus> {
  const { video: location, charge } = value;
  const vendorStatus = scrub(value.status);
  if (vendorStatus === 'cancelled') return { state: 'cancelled', vendorStatus, ...charge };
  if (FAILED.has(vendorStatus))
    return { ...failureOf(scrub(value.code) || vendorStatus, scrub(value.message)), ...charge };
  const retryAfterMs = parsePollAfter(headers, Date.now());
  if (vendorStatus !== 'completed') return { state: 'running', vendorStatus, retryAfterMs };
  if (location === undefined)
    return { ...failureOf('no_video', scrub(value.words) || NO_VIDEO_MESSAGE), ...charge };
  const path = filePathOf(location, baseUrl);
  if (path !== undefined) {
    // A file can be downloaded only once it is `ACTIVE`.
    const { value: file } = await http.requestJson({ method: 'GET', path }, fileSchema, context);
    if (file.state === 'PROCESSING')
      return { state: 'running', vendorStatus: 'file_processing', retryAfterMs };
    if (file.state === 'FAILED') return { ...failureOf('file_failed'), ...charge };
  }
  return { state: 'completed', outputs: [{ index: 0, location }], ...charge };
}

function failureOf(vendorStatus: string, message = '') {
  if (/\bdeadline_exceeded\b/i.test(vendorStatus)) return { state: 'expired', vendorStatus } as const;
  return { state: 'failed', vendorStatus, publicMessage: message || FAILED_MESSAGE } as const;
}
