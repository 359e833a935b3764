import type { Target } from '../../../domain/routing.ts';
import type { DialectObject } from '../../../providers/dialect-adapter.ts';
import { answerToChat } from '../../dialects/messages/answer-to-chat.ts';
import { attemptGeneration, failAnswered } from '../attempt-generation.ts';
import type { EventStream } from '../event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import { settleGeneration } from '../settle-generation.ts';
import { beginMessage, messageFor } from './begin-message.ts';
import { type EndedMessage, messageOf } from './ended-message.ts';
import type { MessagesBody } from './messages-body.ts';
import type { MessagesDeps } from './messages-deps.ts';
import { streamMessage } from './messages-stream.ts';

export interface MessagesService {
  /** The whole answer, once its row is in the ledger. */
  create(call: LiveCall<MessagesBody>): Promise<{ generationId: string; answer: DialectObject }>;
  /**
   * Server-sent events. Resolves when the first are there; whatever happens afterwards, the stream ends by itself, and
   * its generation is in the ledger before its last event.
   */
  stream(call: LiveCall<MessagesBody>): Promise<{ generationId: string; events: EventStream }>;
}

/** Chat in Anthropic's dialect; see `chat-service.ts`. */
export function createMessagesService(deps: MessagesDeps): MessagesService {
  const adapterOf = ({ endpoint }: Target) => deps.providers.messagesAdapter(endpoint.providerSlug);
  return {
    async create(call) {
      const begun = await beginMessage(deps, call, false);
      const { open, reservation } = begun;
      const result = await attemptGeneration(deps, begun, (target, context) =>
        adapterOf(target)?.create(messageFor(begun, target), context),
      );
      const { answered, responses } = result;
      const { target, answer } = answered;
      let ended: EndedMessage;
      try {
        open.draft?.answer(answerToChat(answer));
        ended = messageOf(begun, target, answer);
      } catch (cause) {
        throw await failAnswered(deps, begun, result, cause);
      }
      deps.health.record(target.endpoint.id, { ok: true, latencyMs: Date.now() - answered.startedAtMs });
      await settleGeneration(deps, open, reservation, { ...ended.ending, target, responses });
      const provider = deps.catalog.providerName(target.endpoint.providerSlug);
      return { generationId: open.id, answer: ended.shown(provider) };
    },

    async stream(call) {
      const begun = await beginMessage(deps, call, true);
      const { answered, responses } = await attemptGeneration(deps, begun, (target, context) =>
        adapterOf(target)?.stream(messageFor(begun, target), context),
      );
      const events = streamMessage(deps, begun, { ...answered, responses });
      return { generationId: begun.open.id, events };
    },
  };
}
