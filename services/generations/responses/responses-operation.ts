import { costOfTokens } from '../../../domain/token-price.ts';
import type { Target } from '../../../domain/routing.ts';
import type { TextRequest } from '../../../providers/chat-adapter.ts';
import type { DialectAdapter, DialectEvent, DialectObject } from '../../../providers/dialect-adapter.ts';
import type { EventStream } from '../event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { CALLERS_FAILURES_OF_TEXT, USUAL_OUTPUT_TOKENS } from '../pipeline/callers-failures.ts';
import type { LiveOperation, LiveRequest } from '../pipeline/live-operation.ts';
import { readResponsesPrompt } from '../prompt-facts.ts';
import { refuseFields } from '../refuse-fields.ts';
import { refuseHostedTools } from '../refuse-hosted-tools.ts';
import { requestFor, withoutCacheControl, withoutGatewayFields } from '../upstream-request.ts';
import { endResponse } from './responses-answer.ts';
import {
  conversationOf,
  type ReadResponse,
  type ResponsesBody,
  routableOf,
  withResponsesPreset,
} from './responses-body.ts';
import { streamResponse } from './responses-stream.ts';

/** Fields that would be kept at the vendor, as in `contract/responses-request.ts`. */
const REFUSED = { previous_response_id: [], conversation: [], prompt: [], background: [false] };

type ResponsesOperation<Answer, Result> = LiveOperation<ResponsesBody, Answer, Result>;

/** A response that is asked for as a whole. */
export function responsesOperation(deps: LiveDeps): ResponsesOperation<DialectObject, DialectObject> {
  return {
    ...shared(deps),
    read(call, asked) {
      const { read, requestTo, ...request } = readRequest(call, asked, false);
      return {
        ...request,
        ask(target, context) {
          const adapter = deps.providers.responsesAdapter(target.endpoint.providerSlug);
          return adapter?.create(requestTo(target, adapter), context);
        },
        answered: (answered, open) => endResponse(open, read, answered),
      };
    },
  };
}

/** A response that is asked for as a stream. */
export function responsesStreamOperation(
  deps: LiveDeps,
): ResponsesOperation<AsyncIterable<DialectEvent[]>, EventStream> {
  return {
    ...shared(deps),
    read(call, asked) {
      const { read, requestTo, ...request } = readRequest(call, asked, true);
      return {
        ...request,
        ask(target, context) {
          const adapter = deps.providers.responsesAdapter(target.endpoint.providerSlug);
          return adapter?.stream(requestTo(target, adapter), context);
        },
        answered: (answered, open) => ({
          stream: streamResponse(deps, open, read, answered),
          show: (events) => events,
        }),
      };
    },
  };
}

function shared(deps: LiveDeps): Omit<ResponsesOperation<never, never>, 'read'> {
  return {
    capability: 'chat',
    apiType: 'completions',
    callersFailures: CALLERS_FAILURES_OF_TEXT,
    withPreset: (call) => withResponsesPreset(deps, call),
  };
}

interface ReadRequest extends Pick<LiveRequest<never, never>, 'routable' | 'check' | 'opening' | 'mostAt'> {
  read: ReadResponse;
  requestTo(target: Target, adapter: DialectAdapter): TextRequest;
}

function readRequest(
  { body }: LiveCall<ResponsesBody>,
  asked: LiveCall<ResponsesBody>,
  streamed: boolean,
): ReadRequest {
  const prompt = readResponsesPrompt(body.input, body.instructions, body.tools);
  const completion = body.max_output_tokens ?? USUAL_OUTPUT_TOKENS;
  const tokens = { prompt: prompt.estimatedTokens, completion };
  const fields = withoutGatewayFields(body);
  return {
    read: { prompt, fields, instructions: asked.body.instructions ?? null },
    routable: routableOf(body),
    check() {
      refuseHostedTools(body);
      refuseFields(body, REFUSED);
    },
    opening: {
      input: conversationOf(body),
      inputModalities: prompt.modalities,
      user: body.user,
      streamed,
    },
    mostAt: ({ endpoint }) => costOfTokens(endpoint.pricing, tokens, prompt.images).totalNanos,
    requestTo: requestsOf(body, fields),
  };
}

/** Builds what each endpoint is sent. The body without cache markers is built once, for endpoints that refuse them. */
function requestsOf({ provider }: ResponsesBody, fields: Record<string, unknown>): ReadRequest['requestTo'] {
  let plain: Record<string, unknown> | undefined;
  return (target, { cacheControl }) => {
    const sent = cacheControl === false ? (plain ??= withoutCacheControl(fields)) : fields;
    return requestFor(target, sent, provider?.options);
  };
}
