import type { TextRequest } from '../chat-adapter.ts';
import type { DialectAdapter } from '../dialect-adapter.ts';
import type { TextHttp } from '../text-http.ts';
import { withRegisteredMedia } from '../registered-media.ts';
import { noteOf } from '../repairs.ts';
import { withResponsesSchemas } from '../tool-schemas.ts';
import { readResponse } from './responses-checks.ts';
import { createResponsesReader } from './responses-reader.ts';

/**
 * Sends `POST /responses`. Written from OpenAI's published reference (openai-node,
 * `src/resources/responses/responses.ts`, read 2026-11-21). The vendor stores nothing: `store` is always false. Answers
 * and events are passed on unchanged.
 */
export function createResponsesAdapter(http: TextHttp, apiKey: string | undefined): DialectAdapter {
  return {
    cacheControl: false,
    async create(request, context) {
      const body = toVendor(request, false);
      return readResponse(await http.post('responses', body, context), apiKey, noteOf(context));
    },
    stream(request, context) {
      const reader = createResponsesReader(apiKey, noteOf(context));
      return http.stream('responses', toVendor(request, true), context, reader);
    },
  };
}

/** Returns the request for the vendor, which rejects `stream_options` without streaming. */
function toVendor(given: TextRequest, stream: boolean): TextRequest {
  const { stream_options: options, ...request } = withRegisteredMedia(withResponsesSchemas(given));
  const streamed = options === undefined ? { stream } : { stream, stream_options: options };
  return { ...request, ...(stream ? streamed : { stream }), store: false };
}
