/** Adapts video jobs to operations of Veo models on Vertex AI. */
import { z } from 'zod';
import { fieldsIn, textOf } from '../../../domain/fields.ts';
import type { JsonAnswer, ProviderCall } from '../../http.ts';
import type { VideoAdapter, VideoOperation, VideoStatus } from '../../video-adapter.ts';
import { FAILED_MESSAGE, tooLargeResult } from '../../video-answers.ts';
import type { VideoAccess } from './files.ts';
import { openInlineVideo } from './inline-video.ts';
import { createPrediction } from './input.ts';
import { readWithoutLongStrings, wordsIn } from './long-strings.ts';
import { refusalOf } from './refusals.ts';

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
      message: z.unknown().optional().transform(wordsIn),
    })
    .optional(),
  response: z
    .object({
      videos: z.unknown().optional().transform(fieldsIn),
      raiMediaFilteredReasons: z.array(z.unknown().transform(wordsIn)).catch([]),
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
export function createVeoVideo({ http, outbound, timeouts, open }: VideoAccess): VideoAdapter {
  return {
    idempotentSubmit: false,
    webhook: 'none',

    async submit(request, context) {
      const body = await createPrediction(request, outbound, context);
      const path = `models/${encodeURIComponent(request.upstreamModel)}:predictLongRunning`;
      const call = { method: 'POST', path, body, timeoutMs: timeouts.submitMs, refusalOf } as const;
      const { value } = await http.requestJson(call, submittedSchema, context);
      return { id: value.name };
    },

    async status(operation, context) {
      try {
        return statusOf(await http.requestJson(callOf(operation), stateSchema, context));
      } catch (error) {
        return tooLargeResult(error);
      }
    },

    openOutput: async ({ location }, operation, context) =>
      (await openInlineVideo(location, http, callOf(operation), context)) ?? open(location, context),
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
    refusalOf,
  };
}

function statusOf({ value, scrub }: JsonAnswer<z.output<typeof stateSchema>>): VideoStatus {
  const { done, error, response } = value;
  if (!done) return { state: 'running', vendorStatus: 'running' };
  if (error?.code === CANCELLED) return { state: 'cancelled', vendorStatus: 'cancelled' };
  if (error?.code === DEADLINE_EXCEEDED) return { state: 'expired', vendorStatus: 'deadline_exceeded' };
  if (error !== undefined) {
    const publicMessage = scrub(error.message) || FAILED_MESSAGE;
    return { state: 'failed', vendorStatus: `code_${error.code ?? 'unknown'}`, publicMessage };
  }
  const locations = response.videos.map(
    (video) => textOf(video['gcsUri']) || textOf(video['bytesBase64Encoded']),
  );
  const outputs = locations.filter((found) => found !== '').map((location, index) => ({ index, location }));
  if (outputs.length > 0) return { state: 'completed', outputs };
  const publicMessage = scrub(response.raiMediaFilteredReasons.join(' ')) || FILTERED_MESSAGE;
  return { state: 'failed', vendorStatus: 'content_filtered', publicMessage };
}
