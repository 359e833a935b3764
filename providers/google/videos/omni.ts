/** Adapts video jobs to interactions with Google's Omni models. */
import type { IncomingHttpHeaders } from 'node:http';
import type { CallContext } from '../../call-context.ts';
import { createProviderHttp, type ProviderCall, type ProviderHttp } from '../../http.ts';
import { readModalityTokens } from '../../modality-tokens.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { scrubVendorText } from '../../public-message.ts';
import { parsePollAfter } from '../../retry-after.ts';
import {
  type CancelAnswer,
  unsupported,
  type VendorCharge,
  type VideoAdapter,
  type VideoOperation,
  type VideoStatus,
} from '../../video-adapter.ts';
import { FAILED_MESSAGE, refusedCancel, tooLargeResult } from '../../video-answers.ts';
import { reachableCallback } from '../../video-requests.ts';
import type { GoogleAuth } from '../vertex/tokens.ts';
import { parseGoogleCallback } from './callback.ts';
import { exchangeJson } from './exchange.ts';
import { filePathOf, openBucketObject, openFile } from './files.ts';
import { locationOf, openInlineVideo } from './inline-video.ts';
import { createInteraction, type InteractionForm } from './input.ts';
import { readWithoutLongStrings } from './long-strings.ts';
import * as schemas from './schemas.ts';

type Settings = Pick<ProviderSettings, 'apiKey' | 'baseUrl' | 'outbound' | 'timeouts' | 'webhookSecret'>;

/** The parts in which Google's two APIs of interactions differ. */
interface Access extends Pick<ProviderSettings, 'outbound' | 'timeouts'> {
  http: ProviderHttp;
  /** The address below which Google keeps files. */
  baseUrl: string;
  /** Returns the texts that no error may contain. */
  secrets(): Promise<(string | undefined)[]>;
  toFormat: InteractionForm;
}

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
  const { apiKey, baseUrl, outbound, webhookSecret } = settings;
  const { submit, status } = interactions({
    ...settings,
    http,
    secrets: async () => [apiKey],
    toFormat: (format) => ({ type: 'video', delivery: 'uri', ...format }),
  });
  return {
    idempotentSubmit: false,
    webhook: 'per-job',
    checksSignatures: webhookSecret !== undefined,
    submit: (request, context) =>
      submit({ ...request, callbackUrl: reachableCallback(request, baseUrl) }, context),
    status,
    cancel: (operation, context) => cancel(http, operation, apiKey, context),

    openOutput: async (output, operation, context) =>
      (await openInlineVideo(output, http, callOf(operation), context)) ??
      openFile(output.location, { http, baseUrl, outbound }, context),

    parseCallback: (callback) => parseGoogleCallback(callback, webhookSecret),
  };
}

/**
 * Makes videos with Omni models on Vertex AI, which has interactions in the region `global` only. Written from Google's
 * forum (discuss.ai.google.dev/t/183928) and public clients that called it (github.com/vercel/ai/pull/16550,
 * github.com/pollinations/pollinations/pull/14083), read on 2026-11-28. It has no files: an answer holds the video in
 * base64, or names an object of a bucket. A cancel is not known to exist.
 */
export function createVertexOmni(
  { placeUrl, token }: GoogleAuth,
  { outbound, timeouts, dispatcher }: Pick<ProviderSettings, 'outbound' | 'timeouts' | 'dispatcher'>,
): VideoAdapter {
  const authorize = async () => ({ authorization: `Bearer ${await token()}` });
  const access = { dispatcher, timeouts, authorize };
  const http = createProviderHttp({ ...access, baseUrl: placeUrl });
  const { submit, status } = interactions({
    http,
    baseUrl: placeUrl,
    outbound,
    timeouts,
    secrets: async () => [await token()],
    toFormat: (format) => [{ type: 'video', ...format }],
  });
  return {
    idempotentSubmit: false,
    webhook: 'none',
    async submit(request, context) {
      if (!placeUrl.endsWith('/global')) throw unsupported('credentials of a region other than `global`');
      return submit(request, context);
    },
    status,
    openOutput: async (output, operation, context) =>
      (await openInlineVideo(output, http, callOf(operation), context)) ??
      openBucketObject(output.location, placeUrl, { ...access, outbound }, context),
  };
}

function interactions(access: Access): Pick<VideoAdapter, 'submit' | 'status'> {
  const { http, outbound, timeouts, secrets, toFormat } = access;
  return {
    async submit(request, context) {
      const body = await createInteraction(request, toFormat, outbound, context);
      const call = { method: 'POST', path: 'interactions', body, timeoutMs: timeouts.submitMs } as const;
      const { value } = await exchangeJson(http, call, schemas.operationSchema, await secrets(), context);
      return value;
    },
    async status(operation, context) {
      try {
        const hidden = await secrets();
        const answer = await exchangeJson(
          http,
          callOf(operation),
          schemas.interactionSchema,
          hidden,
          context,
        );
        return await statusOf(answer, access, hidden, context);
      } catch (error) {
        return tooLargeResult(error);
      }
    },
  };
}

function callOf(operation: VideoOperation): ProviderCall {
  const path = `interactions/${encodeURIComponent(schemas.operationSchema.parse(operation).id)}`;
  return { method: 'GET', path, readText: readWithoutLongStrings };
}

async function statusOf(
  { value: interaction, headers }: { value: schemas.Interaction; headers: IncomingHttpHeaders },
  { http, baseUrl }: Access,
  secrets: (string | undefined)[],
  context: CallContext,
): Promise<VideoStatus> {
  const vendorStatus = scrubVendorText(interaction.status, secrets);
  const charge = chargeOf(interaction);
  if (vendorStatus === 'cancelled') return { state: 'cancelled', vendorStatus, ...charge };
  if (FAILED.has(vendorStatus)) return { ...failureOf(interaction, secrets), ...charge };
  const retryAfterMs = parsePollAfter(headers, Date.now());
  if (vendorStatus !== 'completed') return { state: 'running', vendorStatus, retryAfterMs };
  const video = schemas.videoOf(interaction);
  if (video === undefined) {
    const publicMessage = scrubVendorText(schemas.wordsOf(interaction), secrets) || NO_VIDEO_MESSAGE;
    return { state: 'failed', vendorStatus: 'no_video', publicMessage, ...charge };
  }
  const path = 'text' in video ? filePathOf(video.text, baseUrl) : undefined;
  const call = { method: 'GET', path: path ?? '' } as const;
  // A file can be downloaded only once it is `ACTIVE`.
  const { state: fileState } =
    path === undefined ? {} : (await exchangeJson(http, call, schemas.fileSchema, secrets, context)).value;
  if (fileState === 'PROCESSING') return { state: 'running', vendorStatus: 'file_processing', retryAfterMs };
  if (fileState === 'FAILED')
    return { state: 'failed', vendorStatus: 'file_failed', publicMessage: FAILED_MESSAGE, ...charge };
  return { state: 'completed', outputs: [{ index: 0, location: locationOf(video) }], ...charge };
}

function failureOf(interaction: schemas.Interaction, secrets: (string | undefined)[]) {
  const { code, message = '' } = schemas.errorOf(interaction);
  const vendorStatus = scrubVendorText(code ?? interaction.status, secrets);
  if (/\bdeadline_exceeded\b/i.test(vendorStatus)) return { state: 'expired', vendorStatus } as const;
  const publicMessage = scrubVendorText(message, secrets) || FAILED_MESSAGE;
  return { state: 'failed', vendorStatus, publicMessage } as const;
}

function chargeOf({ usage = {} }: Pick<schemas.Interaction, 'usage'>): VendorCharge {
  const report = readModalityTokens(usage);
  return Object.keys(report).length === 0 ? {} : { report };
}

async function cancel(
  http: ProviderHttp,
  operation: VideoOperation,
  apiKey: string | undefined,
  context: CallContext,
): Promise<CancelAnswer> {
  const call = { ...callOf(operation), method: 'POST' } as const;
  const path = `${call.path}/cancel`;
  try {
    const { value } = await exchangeJson(http, { ...call, path }, schemas.cancelSchema, [apiKey], context);
    const isTooLate = value !== null && (value.status === 'completed' || FAILED.has(value.status));
    return isTooLate ? { kind: 'not_stopped' } : { kind: 'stopped', ...(value && chargeOf(value)) };
  } catch (error) {
    return refusedCancel(error);
  }
}
