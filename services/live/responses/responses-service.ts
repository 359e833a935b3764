/** Serves OpenAI's Responses operation, whole or streamed. */
import { type Fields, isFields } from '../../../domain/fields.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { TextRequest } from '../../../providers/chat-adapter.ts';
import type { DialectAdapter, DialectEvent, DialectObject } from '../../../providers/dialect-adapter.ts';
import { mergeResponsesPreset } from './responses-preset.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { measureText } from '../pipeline/measure-text.ts';
import {
  createTextService,
  type ReadText,
  type TextDialect,
  type TextService,
} from '../pipeline/text-operation.ts';
import { refuseFields } from '../refuse-fields.ts';
import { KEPT_OR_UNPRICED } from '../refuse-unpriced.ts';
import {
  type ProviderOptions,
  requestFor,
  withoutCacheControl,
  withoutGatewayFields,
  type DefaultLimit,
  withLimit,
} from '../../../providers/upstream-request.ts';
import { urlsIn } from '../urls/url-places.ts';
import {
  clearHostedTools,
  refuseHostedTools,
  rethrowWithCallerIndexes,
  withoutHostedTools,
} from './hosted-tools.ts';
import { endResponse } from './responses-answer.ts';
import { conversationOf, type ReadResponse, type ResponsesBody, routableOf } from './responses-body.ts';
import { failedResponse, streamResponse } from './responses-stream.ts';

/**
 * Fields that would store data at the vendor, as in `contract/live/responses-request.ts`, or cost more than tokens,
 * with their allowed values.
 */
const REFUSED = {
  ...KEPT_OR_UNPRICED,
  background: [false],
};

export type ResponsesService = TextService<ResponsesBody, DialectObject>;

/** Creates the service of OpenAI's Responses dialect. */
export function createResponsesService(deps: LiveDeps): ResponsesService {
  const adapterOf = (target: Target) => deps.providers.of(target)?.responses;
  const dialect: TextDialect<ResponsesBody, ReadRequest, DialectObject, DialectEvent> = {
    mergePreset: (config, prompt, body) => mergeResponsesPreset(config, prompt, body) as ResponsesBody,
    read: (call, original) => readRequest(call, original, (target) => adapterOf(target)?.defaultMaxTokens),
    askWhole({ requestTo, fail }, target, context, limit) {
      const adapter = adapterOf(target);
      const request = adapter && withLimit(requestTo(target, adapter), 'max_output_tokens', limit);
      return request && adapter.create(request, context).catch(fail);
    },
    askStream({ requestTo, fail }, target, context, limit) {
      const adapter = adapterOf(target);
      const request = adapter && withLimit(requestTo(target, adapter), 'max_output_tokens', limit);
      return request && adapter.stream(request, context).catch(fail);
    },
    end: (open, { read }, answered) => endResponse(open, read, answered),
    stream: (open, { read }, answered) => streamResponse(deps, open, read, answered),
    failed: (open, { read }, failure) => failedResponse(deps, open, read, failure),
  };
  return createTextService(deps, dialect);
}

interface ReadRequest extends ReadText {
  read: ReadResponse;
  requestTo(target: Target, adapter: DialectAdapter): TextRequest;
  /** Throws the failure of an attempt in the form that the caller gets. */
  fail(error: unknown): never;
}

function readRequest(
  { body: given }: LiveCall<ResponsesBody>,
  original: LiveCall<ResponsesBody>,
  defaultLimit: DefaultLimit,
): ReadRequest {
  const { body, dropped } = withoutHostedTools(given);
  const fields = withoutGatewayFields(body);
  const options = body.provider?.options;
  const { prompt, ...measured } = measureText(fields, options, defaultLimit, { answers: 1 });
  return {
    read: { promptAt: measured.promptAt, fields, instructions: original.body.instructions ?? null },
    routable: routableOf(body),
    droppedTools: dropped,
    searched: clearHostedTools(given, dropped),
    check() {
      refuseHostedTools(given, dropped);
      refuseFields(body, REFUSED);
    },
    urls: urlsIn(body, prompt, ['input']),
    opening: { input: conversationOf(body), inputModalities: prompt.modalities, user: body.user },
    ...measured,
    requestTo: requestsOf(fields, options),
    fail: (error) => rethrowWithCallerIndexes(given, error),
  };
}

/**
 * Returns a function that builds the request to each endpoint. The body without cache markers is built once, for
 * endpoints that refuse them.
 */
function requestsOf(fields: Record<string, unknown>, options: ProviderOptions): ReadRequest['requestTo'] {
  const shared = withoutThoughtIds(fields);
  let plain: Record<string, unknown> | undefined;
  return (target, { cacheControl }) => {
    const given = target.own === undefined ? shared : fields;
    if (cacheControl !== false) return requestFor(target, given, options);
    const marked = given === shared ? (plain ??= withoutCacheControl(shared)) : withoutCacheControl(given);
    return requestFor(target, marked, options);
  };
}

/**
 * Returns the fields of a request without the ids of thoughts that have no encrypted content. OpenAI looks up such a
 * thought by its id, among all responses that are stored under the credential (ADR 0074). Other vendors read its text.
 */
function withoutThoughtIds(fields: Fields): Fields {
  const { input } = fields;
  if (!Array.isArray(input) || !input.some(isUnsealed)) return fields;
  return { ...fields, input: input.map((item: unknown) => (isUnsealed(item) ? withoutId(item) : item)) };
}

function isUnsealed(item: unknown): item is Fields {
  return (
    isFields(item) && item['type'] === 'reasoning' && !item['encrypted_content'] && item['id'] !== undefined
  );
}

function withoutId(item: Fields): Fields {
  const { id: _, ...others } = item;
  return others;
}
