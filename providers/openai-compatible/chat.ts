/** Sends chat requests on OpenAI's wire, whole or streamed. */
import type { Deviation } from '../../domain/catalog/deviations.ts';
import type { ModelReasoning } from '../../domain/catalog/model-facts.ts';
import type { ChatAdapter, TextRequest } from '../chat-adapter.ts';
import type { TextHttp } from '../text-http.ts';
import type { LiveCallContext } from '../call-context.ts';
import { adaptThoughts, withoutThoughts } from '../foreign-thoughts.ts';
import { withRegisteredMedia } from '../registered-media.ts';
import { withChatSchemas } from '../tool-schemas.ts';
import { noteOf } from '../repairs.ts';
import { createChatReader } from './chat-reader.ts';
import { readCompletion } from './chat-checks.ts';
import { refusedFields } from '../../domain/refused-fields.ts';

export interface ChatOptions {
  http: TextHttp;
  /** Returns the request as the vendor understands it, without changing the original. */
  toVendor(request: TextRequest, deviations: readonly Deviation[], reasoning?: ModelReasoning): TextRequest;
  /** False: the vendor's messages have no field for thoughts. Absent: they have one. */
  takesThoughts?: false;
  /** The deviations of all models of the vendor, besides those of an endpoint's row. Absent: none. */
  deviations?: readonly Deviation[];
  /** True: the vendor supports `cache_control`. */
  cacheControl?: boolean;
}

/**
 * Sends `POST /chat/completions`. Written from OpenAI's published reference (openai-node,
 * `src/resources/chat/completions/completions.ts`, and developers.openai.com/api/reference, read 2026-11-21). It also
 * handles variants of other servers: an error object in a 200 or within a stream, streams without `[DONE]`, chunks
 * without `choices`, and a growing `usage` in each chunk.
 */
export function createChatAdapter(options: ChatOptions): ChatAdapter {
  const { http, takesThoughts = true, deviations: ofAll = [], cacheControl = false } = options;
  const deviationsOf = ({ deviations = [] }: LiveCallContext): readonly Deviation[] =>
    ofAll.length === 0 ? deviations : [...ofAll, ...deviations];
  const toVendor = (request: TextRequest, context: LiveCallContext): TextRequest => {
    const sent = takesThoughts ? request : adaptThoughts(request, context, withoutThoughts);
    return options.toVendor(
      withRegisteredMedia(withChatSchemas(sent)),
      deviationsOf(context),
      context.reasoning,
    );
  };
  const refusing = new RefusedStreamOptions();
  const path = 'chat/completions';
  return {
    cacheControl,
    async complete(request, context) {
      const body = withoutStream(toVendor(request, context));
      const answer = await http.post(path, body, context);
      return readCompletion(answer, noteOf(context), asksForFunctions(request));
    },
    async stream(request, context) {
      const deviations = deviationsOf(context);
      const { stream_options: _, ...body } = toVendor(request, context);
      const ask = (more: object) =>
        http.stream(
          path,
          { ...body, stream: true, ...more },
          context,
          createChatReader(noteOf(context), asksForFunctions(request)),
        );
      const { model } = request;
      if (deviations.includes('no_stream_options') || refusing.has(model)) return ask({});
      return ask(STREAM_OPTIONS).catch(async (error: unknown) => {
        if (!refusesStreamOptions(error)) throw error;
        const stream = await ask({});
        // Only now it is certain that nothing else was the reason of the refusal.
        refusing.add(model);
        noteOf(context)('stream_options');
        return stream;
      });
    },
  };
}

/** Requests the counts of tokens at the end of a stream. */
const STREAM_OPTIONS = { stream_options: { include_usage: true } };

/** Returns whether the caller uses the older form of tools, so that calls come in the older form too. */
function asksForFunctions({ functions }: TextRequest): boolean {
  return functions !== undefined && functions !== null;
}

/** Removes `stream_options`, which servers reject without `stream`. */
function withoutStream(request: TextRequest): TextRequest {
  if (!('stream' in request) && !('stream_options' in request)) return request;
  const { stream: _, stream_options: __, ...rest } = request;
  return rest;
}

/** The most models that are remembered. A provider has fewer. */
const MAX_MODELS = 1_000;

/** Returns whether an error is a refusal of the field. */
function refusesStreamOptions(error: unknown): boolean {
  return refusedFields(error, ['stream_options', 'include_usage']).length > 0;
}

/**
 * The models of one provider that refused `stream_options` once, and answered without the field. Older servers reject
 * it, and a refused request has cost nothing. Without it the server counts no tokens, so that the gateway estimates
 * them.
 */
class RefusedStreamOptions {
  readonly #models = new Set<string>();

  has(model: string): boolean {
    return this.#models.has(model);
  }

  add(model: string): void {
    if (this.#models.size < MAX_MODELS) this.#models.add(model);
  }
}
