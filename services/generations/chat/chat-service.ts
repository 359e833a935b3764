import type { ChatCompletion } from '../../../providers/chat-adapter.ts';
import type { EventStream } from '../event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { runLive } from '../pipeline/run-live.ts';
import type { ChatBody } from './chat-body.ts';
import { chatOperation, chatStreamOperation } from './chat-operation.ts';

export interface ChatService {
  /** Resolves with the whole answer, once its row is in the ledger. */
  complete(call: LiveCall<ChatBody>): Promise<{ generationId: string; answer: ChatCompletion }>;
  /**
   * Resolves with server-sent events when the first chunk is there. The stream ends by itself in every case, and its
   * generation is in the ledger before its last event.
   */
  stream(call: LiveCall<ChatBody>): Promise<{ generationId: string; events: EventStream }>;
}

export function createChatService(deps: LiveDeps): ChatService {
  const [whole, streamed] = [chatOperation(deps), chatStreamOperation(deps)];
  return {
    async complete(call) {
      const { generationId, result: answer } = await runLive(deps, whole, call);
      return { generationId, answer };
    },
    async stream(call) {
      const { generationId, result: events } = await runLive(deps, streamed, call);
      return { generationId, events };
    },
  };
}
