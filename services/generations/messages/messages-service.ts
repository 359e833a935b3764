import type { DialectObject } from '../../../providers/dialect-adapter.ts';
import type { EventStream } from '../event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import { runLive } from '../pipeline/run-live.ts';
import type { MessagesBody } from './messages-body.ts';
import type { MessagesDeps } from './messages-deps.ts';
import { messagesOperation, messagesStreamOperation } from './messages-operation.ts';

export interface MessagesService {
  /** Resolves with the whole answer, once its row is in the ledger. */
  create(call: LiveCall<MessagesBody>): Promise<{ generationId: string; answer: DialectObject }>;
  /**
   * Resolves with server-sent events when the first are there. The stream ends by itself in every case, and its
   * generation is in the ledger before its last event.
   */
  stream(call: LiveCall<MessagesBody>): Promise<{ generationId: string; events: EventStream }>;
}

/** Chat in Anthropic's dialect. */
export function createMessagesService(deps: MessagesDeps): MessagesService {
  const [whole, streamed] = [messagesOperation(deps), messagesStreamOperation(deps)];
  return {
    async create(call) {
      const { generationId, result: answer } = await runLive(deps, whole, call);
      return { generationId, answer };
    },
    async stream(call) {
      const { generationId, result: events } = await runLive(deps, streamed, call);
      return { generationId, events };
    },
  };
}
