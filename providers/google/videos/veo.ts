/** Adapts video jobs to operations of Veo models on Vertex AI. */
import { z } from 'zod';
import { fieldsIn } from '../../../domain/fields.ts';
import { createProviderHttp, type ProviderCall } from '../../http.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { scrubVendorText } from '../../public-message.ts';
import type { VideoAdapter, VideoOperation, VideoStatus } from '../../video-adapter.ts';
import { FAILED_MESSAGE, tooLargeResult } from '../../video-answers.ts';
import type { GoogleAuth } from '../vertex/tokens.ts';
import { exchangeJson } from './exchange.ts';
import { openBucketObject } from './files.ts';
import { locationOf, openInlineVideo } from './inline-video.ts';
import { createPrediction } from './input.ts';
import { foundString, readWithoutLongStrings } from './long-strings.ts';

const FILTERED_MESSAGE = 'The provider filtered the video';
/** The codes of gRPC for a job that was cancelled or took too long. */
const [CANCELLED, DEADLINE_EXCEEDED] = [1, 4];

/** The name of an operation, which has the model's: `…/models/<model>/operations/<id>`. */
const operationName = z
  .string()
  .max(500)
  .regex(/^[\w./:-]*\bmodels\/[\w.-]+\/operations\/[\w-]+$/);
const submittedSchema = z.object({ name: operationName });

const stateSchema = z.object({
  // Absent while the operation runs.
  done: z.boolean().default(false),
  error: z
    .object({
      code: z.coerce.number().optional().catch(undefined),
      message: z.string().default('').catch(''),
    })
    .optional(),
  response: z
    .object({
      videos: z.unknown().optional().transform(fieldsIn),
      raiMediaFilteredReasons: z.array(z.string()).catch([]),
    })
    .default({ videos: [], raiMediaFilteredReasons: [] }),
});

/**
 * Makes videos over `predictLongRunning` of Vertex AI. Written from docs.cloud.google.com (Veo's model reference and
 * "Generate videos from text") and public clients, read on 2026-11-28.
 * - No idempotency key and no list of operations is documented, and neither are a cancel, callbacks and a progress.
 * - The status is a POST, whose answer holds the videos in base64 unless `storageUri` names a bucket. Such an answer is
 *   read without them, and decoded as it arrives.
 * - An operation without videos was filtered; `raiMediaFilteredReasons` says why.
 * - Google bills by the second, and reports nothing.
 */
export function createVeoVideo(
  auth: GoogleAuth,
  settings: Pick<ProviderSettings, 'outbound' | 'timeouts' | 'dispatcher'>,
): VideoAdapter {
  const { outbound, timeouts, dispatcher } = settings;
  const authorize = async () => ({ authorization: `Bearer ${await auth.token()}` });
  const access = { dispatcher, timeouts, authorize };
  const http = createProviderHttp({ ...access, baseUrl: `${auth.placeUrl}/publishers/google` });
  return {
    idempotentSubmit: false,
    webhook: 'none',

    async submit(request, context) {
      const body = await createPrediction(request, outbound, context);
      const path = `models/${encodeURIComponent(request.upstreamModel)}:predictLongRunning`;
      const call = { method: 'POST', path, body, timeoutMs: timeouts.submitMs } as const;
      const { value } = await exchangeJson(http, call, submittedSchema, [await auth.token()], context);
      return { id: value.name };
    },

    async status(operation, context) {
      try {
        const secrets = [await auth.token()];
        const { value } = await exchangeJson(http, callOf(operation), stateSchema, secrets, context);
        return statusOf(value, secrets);
      } catch (error) {
        return tooLargeResult(error);
      }
    },

    openOutput: async (output, operation, context) =>
      (await openInlineVideo(output, http, callOf(operation), context)) ??
      openBucketObject(output.location, auth.placeUrl, { ...access, outbound }, context),
  };
}

function callOf({ id }: VideoOperation): ProviderCall {
  const operation = operationName.parse(id);
  const [, model = ''] = /models\/([^/]+)\/operations\//.exec(operation) ?? [];
  return {
    method: 'POST',
    path: `models/${model}:fetchPredictOperation`,
    body: { operationName: operation },
    repeatable: true,
    readText: readWithoutLongStrings,
  };
}

function statusOf(
  { done, error, response: { videos, raiMediaFilteredReasons: reasons } }: z.output<typeof stateSchema>,
  secrets: string[],
): VideoStatus {
  if (!done) return { state: 'running', vendorStatus: 'running' };
  if (error?.code === CANCELLED) return { state: 'cancelled', vendorStatus: 'cancelled' };
  if (error?.code === DEADLINE_EXCEEDED) return { state: 'expired', vendorStatus: 'deadline_exceeded' };
  if (error !== undefined) {
    const publicMessage = scrubVendorText(error.message, secrets) || FAILED_MESSAGE;
    return { state: 'failed', vendorStatus: `code_${error.code ?? 'unknown'}`, publicMessage };
  }
  const found = videos.flatMap(
    ({ gcsUri, bytesBase64Encoded }) => foundString(gcsUri) ?? foundString(bytesBase64Encoded) ?? [],
  );
  if (found.length > 0) {
    const outputs = found.map((video, index) => ({ index, location: locationOf(video) }));
    return { state: 'completed', outputs };
  }
  const publicMessage = scrubVendorText(reasons.join(' '), secrets) || FILTERED_MESSAGE;
  return { state: 'failed', vendorStatus: 'content_filtered', publicMessage };
}
