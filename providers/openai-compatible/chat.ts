/** Sends chat requests on OpenAI's wire, whole or streamed. */
import type { ChatAdapter, TextRequest } from '../chat-adapter.ts';
import type { TextHttp } from '../text-http.ts';
import { noteOf } from '../repairs.ts';
import { createChatReader } from './chat-reader.ts';
import { readCompletion } from './chat-checks.ts';

export interface ChatOptions {
  http: TextHttp;
  /** The secret that errors must not contain. */
  apiKey: string | undefined;
  /** Returns the request with the vendor's own field names, without changing the original. */
  toVendor?(request: TextRequest): TextRequest;
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
  const { http, apiKey, cacheControl = false } = options;
  const toVendor = options.toVendor ?? ((request) => request);
  const path = 'chat/completions';
  return {
    cacheControl,
    async complete(request, context) {
      const body = withoutStream(toVendor(request));
      return readCompletion(await http.post(path, body, context), apiKey, noteOf(context));
    },
    stream(request, context) {
      const body = { ...toVendor(request), stream: true, stream_options: STREAM_OPTIONS };
      return http.stream(path, body, context, createChatReader(apiKey, noteOf(context)));
    },
  };
}

const STREAM_OPTIONS = { include_usage: true };

/** Removes `stream_options`, which servers reject without `stream`. */
function withoutStream(request: TextRequest): TextRequest {
  if (!('stream' in request) && !('stream_options' in request)) return request;
  const { stream: _, stream_options: __, ...rest } = request;
  return rest;
}
