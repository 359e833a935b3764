/** Adapts video jobs to operations of Veo models on Vertex AI. */
import { z } from 'zod';
import { fieldsIn } from '../../../domain/fields.ts';
import { ProviderError } from '../../../domain/provider-error.ts';
import { OutboundResponseTooLargeError } from '../../../platform/outbound-error.ts';
import type { CallContext } from '../../call-context.ts';
import { createProviderHttp, type ProviderCall } from '../../http.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { scrubVendorText } from '../../public-message.ts';
import type { VideoAdapter, VideoOperation, VideoStatus } from '../../video-adapter.ts';
import type { GoogleAuth } from '../google-auth.ts';
import { openBucketObject } from './bucket.ts';
import { exchangeJson } from './exchange.ts';
import { inlineLocation, openInlineVideo } from './inline-video.ts';
import { type FoundString, foundString, readWithoutLongStrings } from './long-strings.ts';
import { createPrediction } from './veo-input.ts';

const FAILED_MESSAGE = 'The provider could not generate the video';
const FILTERED_MESSAGE = 'The provider filtered the video';
/** The codes of gRPC for a job that was cancelled or took too long. */
const [CANCELLED, DEADLINE_EXCEEDED] = [1, 4];

/** The name of an operation, which has the model's: `…/models/<model>/operations/<id>`. */
const operationName = z
  .string()
  .max(500)
  .regex(/^[\w./:-]*\bmodels\/[\w.-]+\/operations\/[\w-]+$/);
const submittedSchema = z.object({ name: operationName });
const operationSchema = z.object({ id: operationName });

const stateSchema = z.object({
  // Absent while the operation runs.
  done: z.boolean().default(false),
  error: z
    .object({
      code: z.coerce.number().optional().catch(undefined),
      message: z.string().optional().catch(undefined),
    })
    .optional(),
  response: z
    .object({
      videos: z.unknown().optional().transform(fieldsIn),
      raiMediaFilteredReasons: z.array(z.string()).catch([]),
    })
    .optional(),
});
type State = z.output<typeof stateSchema>;

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
  const http = createProviderHttp({
    baseUrl: `${auth.placeUrl}/publishers/google`,
    dispatcher,
    timeouts,
    authorize,
  });
  const exchange = async <T>(call: ProviderCall, schema: z.ZodType<T>, context: CallContext): Promise<T> => {
    const secrets = [await auth.token()];
    return (await exchangeJson(http, call, schema, secrets, context)).value;
  };
  return {
    idempotentSubmit: false,
    webhook: 'none',

    async submit(request, context) {
      const body = await createPrediction(request, outbound, context);
      const path = `models/${encodeURIComponent(request.upstreamModel)}:predictLongRunning`;
      const call = { method: 'POST', path, body, timeoutMs: timeouts.submitMs } as const;
      const { name: id } = await exchange(call, submittedSchema, context);
      return { id };
    },

    async status(operation, context) {
      try {
        const secrets = [await auth.token()];
        return statusOf(await exchange(callOf(operation), stateSchema, context), secrets);
      } catch (error) {
        if (error instanceof ProviderError && error.cause instanceof OutboundResponseTooLargeError)
          return { state: 'failed', vendorStatus: 'result_too_large', publicMessage: FAILED_MESSAGE };
        throw error;
      }
    },

    async openOutput(output, operation, context) {
      const inline = await openInlineVideo(output, http, callOf(operation), context);
      return (
        inline ??
        openBucketObject(
          output.location,
          auth.placeUrl,
          { outbound, dispatcher, timeouts, authorize },
          context,
        )
      );
    },
  };
}

function callOf(operation: VideoOperation): ProviderCall {
  const { id } = operationSchema.parse(operation);
  const [, model = ''] = /models\/([^/]+)\/operations\//.exec(id) ?? [];
  return {
    method: 'POST',
    path: `models/${model}:fetchPredictOperation`,
    body: { operationName: id },
    repeatable: true,
    readText: readWithoutLongStrings,
  };
}

function statusOf({ done, error, response }: State, secrets: string[]): VideoStatus {
  if (!done) return { state: 'running', vendorStatus: 'running' };
  if (error?.code === CANCELLED) return { state: 'cancelled', vendorStatus: 'cancelled' };
  if (error?.code === DEADLINE_EXCEEDED) return { state: 'expired', vendorStatus: 'deadline_exceeded' };
  if (error !== undefined) {
    const publicMessage = scrubVendorText(error.message ?? '', secrets) || FAILED_MESSAGE;
    return { state: 'failed', vendorStatus: `code_${error.code ?? 'unknown'}`, publicMessage };
  }
  const videos = (response?.videos ?? [])
    .map((video) => locationOf(video))
    .filter((each) => each !== undefined);
  if (videos.length > 0)
    return { state: 'completed', outputs: videos.map((location, index) => ({ index, location })) };
  const reasons = scrubVendorText(response?.raiMediaFilteredReasons.join(' ') ?? '', secrets);
  return { state: 'failed', vendorStatus: 'content_filtered', publicMessage: reasons || FILTERED_MESSAGE };
}

function locationOf(video: Record<string, unknown>): string | undefined {
  const found: FoundString | undefined =
    foundString(video['gcsUri']) ?? foundString(video['bytesBase64Encoded']);
  if (found === undefined) return undefined;
  return 'text' in found ? found.text : inlineLocation(found);
}
