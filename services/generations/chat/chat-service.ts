import { AppError } from '../../../domain/errors.ts';
import { mergePreset, parsePresetReference } from '../../../domain/preset-merge.ts';
import type { Target } from '../../../domain/routing.ts';
import type { ChatAdapter, ChatCompletion, TextRequest } from '../../../providers/chat-adapter.ts';
import { attemptGeneration, failAnswered } from '../attempt-generation.ts';
import { estimateCost } from '../attempt-live.ts';
import type { BegunChat, ChatBody } from './begun-chat.ts';
import { answerOf, type EndedAnswer } from './chat-answer.ts';
import { streamChat } from './chat-stream.ts';
import { openGeneration } from '../generation.ts';
import { planTargets } from '../plan-targets.ts';
import { readPrompt } from '../prompt-facts.ts';
import { settleGeneration } from '../settle-generation.ts';
import type { EventStream } from '../event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { requestFor, withoutCacheControl, withoutGatewayFields } from '../upstream-request.ts';

export interface ChatService {
  /** The whole answer, once its row is in the ledger. */
  complete(call: LiveCall<ChatBody>): Promise<{ generationId: string; answer: ChatCompletion }>;
  /**
   * Server-sent events. Resolves when the first chunk is there; whatever happens afterwards, the stream ends by
   * itself, and its generation is in the ledger before its last event.
   */
  stream(call: LiveCall<ChatBody>): Promise<{ generationId: string; events: EventStream }>;
}

/** Reserved when the request does not say how long an answer may be (design: §8). */
const USUAL_OUTPUT_TOKENS = 1_024;

export function createChatService(deps: LiveDeps): ChatService {
  return {
    async complete(call) {
      const begun = await begin(deps, call, false);
      const requestTo = requestsOf(begun);
      const result = await attemptGeneration(deps, begun, (target, context) => {
        const adapter = deps.providers.chatAdapter(target.endpoint.providerSlug);
        return adapter?.complete(requestTo(target, adapter), context);
      });
      const { answered, responses } = result;
      let ended: EndedAnswer;
      try {
        begun.open.draft?.answer(answered.answer);
        ended = answerOf(begun, answered.target, answered.answer);
      } catch (cause) {
        throw await failAnswered(deps, begun, result, cause);
      }
      deps.health.record(answered.target.endpoint.id, {
        ok: true,
        latencyMs: Date.now() - answered.startedAtMs,
      });
      await settleGeneration(deps, begun.open, begun.reservation, {
        ...ended.ending,
        target: answered.target,
        responses,
      });
      return {
        generationId: begun.open.id,
        answer: ended.shown(deps.catalog.providerName(answered.target.endpoint.providerSlug)),
      };
    },

    async stream(call) {
      const begun = await begin(deps, call, true);
      const requestTo = requestsOf(begun);
      const { answered, responses } = await attemptGeneration(deps, begun, (target, context) => {
        const adapter = deps.providers.chatAdapter(target.endpoint.providerSlug);
        return adapter?.stream(requestTo(target, adapter), context);
      });
      const events = streamChat(deps, begun, { ...answered, responses });
      return { generationId: begun.open.id, events };
    },
  };
}

async function begin(deps: LiveDeps, asked: LiveCall<ChatBody>, streamed: boolean): Promise<BegunChat> {
  deps.ledger.requireOpen();
  const { call, presetId } = await withPreset(deps, asked);
  const { principal, body } = call;
  const settings = await deps.settingsOf(principal.workspaceId);
  const targets = planTargets(deps, 'chat', body, settings);
  const prompt = readPrompt(body.messages, body.tools);
  const completion = (body.max_completion_tokens ?? body.max_tokens ?? USUAL_OUTPUT_TOKENS) * (body.n ?? 1);
  const tokens = { prompt: prompt.estimatedTokens, completion };
  const usage = estimateCost(targets, tokens, prompt.images);
  const open = openGeneration({
    apiType: 'completions',
    call,
    presetId,
    user: body.user,
    input: body.messages,
    settings,
    inputModalities: prompt.modalities,
    streamed,
  });
  const fields = withoutGatewayFields(body);
  // Last: whoever has the reservation must give it back, and nothing between here and there can fail.
  const reservation = await deps.spending.reserve(principal, { usage, byok: 0n });
  return { call, open, reservation, targets, prompt, fields };
}

/** The request as its preset completes it, if it names one. 404 for a preset that is not there to be used. */
async function withPreset(
  { presets }: LiveDeps,
  call: LiveCall<ChatBody>,
): Promise<{ call: LiveCall<ChatBody>; presetId: string | null }> {
  const reference = parsePresetReference(call.body.model, call.body['preset']);
  if (reference === null) return { call, presetId: null };
  const preset = await presets.find(call.principal.workspaceId, reference.slug);
  if (preset === null) throw new AppError('not_found', { reason: 'preset_not_found' });
  const body = mergePreset(preset.config, preset.systemPrompt, call.body) as ChatBody;
  return { call: { ...call, body }, presetId: preset.presetId };
}

/** What each endpoint is sent. What only some understand is taken out once, when the first comes that does not. */
function requestsOf({ call, fields }: BegunChat): (target: Target, adapter: ChatAdapter) => TextRequest {
  const { provider } = call.body;
  let plain: Record<string, unknown> | undefined;
  return (target, { cacheControl }) =>
    requestFor(target, cacheControl ? fields : (plain ??= withoutCacheControl(fields)), provider?.options);
}
