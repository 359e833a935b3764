import type { Target } from '../../../domain/routing.ts';
import type { TextRequest } from '../../../providers/chat-adapter.ts';
import type { DialectAdapter, DialectObject } from '../../../providers/dialect-adapter.ts';
import { attemptGeneration, failAnswered } from '../attempt-generation.ts';
import type { EventStream } from '../event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { beginResponse } from './begin-response.ts';
import { type EndedResponse, responseOf } from './responses-answer.ts';
import type { BegunResponse, ResponsesBody } from './responses-body.ts';
import { draftResponse } from './responses-draft.ts';
import { streamResponse } from './responses-stream.ts';
import { settleGeneration } from '../settle-generation.ts';
import type { ResponseStamp } from './shown-response.ts';
import { requestFor, withoutCacheControl } from '../upstream-request.ts';

export interface ResponsesService {
  /** The whole response, once its row is in the ledger. */
  create(call: LiveCall<ResponsesBody>): Promise<{ generationId: string; answer: DialectObject }>;
  /** Server-sent events, under the promises of a chat's stream. */
  stream(call: LiveCall<ResponsesBody>): Promise<{ generationId: string; events: EventStream }>;
}

export function createResponsesService(deps: LiveDeps): ResponsesService {
  return {
    async create(call) {
      const begun = await beginResponse(deps, call, false);
      const requestTo = requestsOf(begun);
      const result = await attemptGeneration(deps, begun, (target, context) => {
        const adapter = deps.providers.responsesAdapter(target.endpoint.providerSlug);
        return adapter?.create(requestTo(target, adapter), context);
      });
      const { answered, responses } = result;
      const { target, answer } = answered;
      let ended: EndedResponse;
      try {
        if (begun.open.draft !== null) draftResponse(begun.open.draft, answer);
        ended = responseOf(begun, target, answer);
      } catch (cause) {
        throw await failAnswered(deps, begun, result, cause);
      }
      deps.health.record(target.endpoint.id, { ok: true, latencyMs: Date.now() - answered.startedAtMs });
      await settleGeneration(deps, begun.open, begun.reservation, { ...ended.ending, target, responses });
      return { generationId: begun.open.id, answer: ended.shown(stampOf(deps, begun, target)) };
    },

    async stream(call) {
      const begun = await beginResponse(deps, call, true);
      const requestTo = requestsOf(begun);
      const { answered, responses } = await attemptGeneration(deps, begun, (target, context) => {
        const adapter = deps.providers.responsesAdapter(target.endpoint.providerSlug);
        return adapter?.stream(requestTo(target, adapter), context);
      });
      const stamp = stampOf(deps, begun, answered.target);
      const events = streamResponse(deps, begun, { ...answered, responses, stamp });
      return { generationId: begun.open.id, events };
    },
  };
}

/** What each endpoint is sent. What only some understand is taken out once, when the first comes that does not. */
function requestsOf({
  call,
  fields,
}: BegunResponse): (target: Target, adapter: DialectAdapter) => TextRequest {
  const { provider } = call.body;
  let plain: Record<string, unknown> | undefined;
  return (target, { cacheControl }) => {
    const sent = cacheControl === false ? (plain ??= withoutCacheControl(fields)) : fields;
    return requestFor(target, sent, provider?.options);
  };
}

function stampOf(
  { catalog }: LiveDeps,
  { open, instructions }: BegunResponse,
  { model, endpoint }: Target,
): ResponseStamp {
  const provider = catalog.providerName(endpoint.providerSlug);
  return { id: open.id, model: model.id, provider, instructions, store: false };
}
