import type { Target } from '../../../domain/routing.ts';
import type { TextRequest } from '../../../providers/chat-adapter.ts';
import type { DialectAdapter, DialectEvent, DialectObject } from '../../../providers/dialect-adapter.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { mostCost, type MostTokens, outputTokens } from '../pipeline/most-tokens.ts';
import {
  createTextService,
  type ReadText,
  type TextDialect,
  type TextService,
} from '../pipeline/text-operation.ts';
import { readResponsesPrompt } from '../prompt-facts.ts';
import { refuseFields } from '../refuse-fields.ts';
import { STANDARD_TIERS } from '../refuse-unpriced.ts';
import { refuseHostedTools } from '../refuse-hosted-tools.ts';
import {
  fieldsFor,
  type ProviderOptions,
  requestFor,
  withoutCacheControl,
  withoutGatewayFields,
} from '../upstream-request.ts';
import { endResponse } from './responses-answer.ts';
import {
  conversationOf,
  type ReadResponse,
  type ResponsesBody,
  routableOf,
  withResponsesPreset,
} from './responses-body.ts';
import { streamResponse } from './responses-stream.ts';

/** Fields that would be kept at the vendor, as in `contract/responses-request.ts`, or cost more than tokens. */
const REFUSED = {
  previous_response_id: [],
  conversation: [],
  prompt: [],
  background: [false],
  service_tier: STANDARD_TIERS,
};

export type ResponsesService = TextService<ResponsesBody, DialectObject>;

/** Chat in the dialect of OpenAI's Responses API. */
export function createResponsesService(deps: LiveDeps): ResponsesService {
  const adapterOf = ({ endpoint }: Target) => deps.providers.responsesAdapter(endpoint.providerSlug);
  const dialect: TextDialect<ResponsesBody, ReadRequest, DialectObject, DialectEvent> = {
    withPreset: (call) => withResponsesPreset(deps, call),
    read: readRequest,
    askWhole({ requestTo }, target, context) {
      const adapter = adapterOf(target);
      return adapter?.create(requestTo(target, adapter), context);
    },
    askStream({ requestTo }, target, context) {
      const adapter = adapterOf(target);
      return adapter?.stream(requestTo(target, adapter), context);
    },
    end: (open, { read }, answered) => endResponse(open, read, answered),
    stream: (open, { read }, answered) => streamResponse(deps, open, read, answered),
  };
  return createTextService(deps, dialect);
}

interface ReadRequest extends ReadText {
  read: ReadResponse;
  requestTo(target: Target, adapter: DialectAdapter): TextRequest;
}

function readRequest({ body }: LiveCall<ResponsesBody>, asked: LiveCall<ResponsesBody>): ReadRequest {
  const fields = withoutGatewayFields(body);
  const options = body.provider?.options;
  const tokens = tokensOf(body);
  const { prompt } = tokens;
  return {
    read: { prompt, fields, instructions: asked.body.instructions ?? null },
    routable: routableOf(body),
    check() {
      refuseHostedTools(body);
      refuseFields(body, REFUSED);
    },
    opening: { input: conversationOf(body), inputModalities: prompt.modalities, user: body.user },
    mostAt(target) {
      const sent = fieldsFor(target, fields, options);
      return mostCost(target, sent === fields ? tokens : tokensOf(sent as ResponsesBody));
    },
    requestTo: requestsOf(fields, options),
  };
}

/** Reads how many tokens a request may take and make. */
function tokensOf({ input, instructions, tools, max_output_tokens: most }: ResponsesBody): MostTokens {
  return { prompt: readResponsesPrompt(input, instructions, tools), completion: outputTokens(most) };
}

/** Builds what each endpoint is sent. The body without cache markers is built once, for endpoints that refuse them. */
function requestsOf(fields: Record<string, unknown>, options: ProviderOptions): ReadRequest['requestTo'] {
  let plain: Record<string, unknown> | undefined;
  return (target, { cacheControl }) => {
    const sent = cacheControl === false ? (plain ??= withoutCacheControl(fields)) : fields;
    return requestFor(target, sent, options);
  };
}
