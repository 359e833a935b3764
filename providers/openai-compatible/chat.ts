import type { ChatAdapter, TextRequest } from '../chat-adapter.ts';
import type { TextHttp } from '../text-http.ts';
import { createChatReader } from './chat-reader.ts';
import { readCompletion } from './chat-checks.ts';

export interface ChatOptions {
  http: TextHttp;
  /** What must not appear in an error. */
  apiKey: string | undefined;
  /** The vendor's own names for what the gateway's request says; the request itself is not changed. */
  toVendor?(request: TextRequest): TextRequest;
  /** The vendor heeds `cache_control`. */
  cacheControl?: boolean;
}

/**
 * `POST /chat/completions`, written from OpenAI's published reference (openai-node,
 * `src/resources/chat/completions/completions.ts`, and developers.openai.com/api/reference, read 2026-11-21).
 * Also there, in what others serve: an error object in a 200 or in the middle of a stream, streams without
 * `[DONE]`, chunks without `choices` or with a growing `usage` in each.
 */
export function createChatAdapter(options: ChatOptions): ChatAdapter {
  const { http, apiKey, cacheControl = false } = options;
  const toVendor = options.toVendor ?? ((request) => request);
  const path = 'chat/completions';
  return {
    cacheControl,
    async complete(request, context) {
      const body = withoutStream(toVendor(request));
      return readCompletion(await http.post(path, body, context), apiKey);
    },
    stream(request, context) {
      const body = { ...toVendor(request), stream: true, stream_options: STREAM_OPTIONS };
      return http.stream(path, body, context, createChatReader(apiKey));
    },
  };
}

const STREAM_OPTIONS = { include_usage: true };

/** Servers refuse `stream_options` without `stream`. */
function withoutStream(request: TextRequest): TextRequest {
  if (!('stream' in request) && !('stream_options' in request)) return request;
  const { stream: _, stream_options: __, ...rest } = request;
  return rest;
}
