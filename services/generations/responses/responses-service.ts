import type { DialectObject } from '../../../providers/dialect-adapter.ts';
import type { EventStream } from '../event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { runLive } from '../pipeline/run-live.ts';
import type { ResponsesBody } from './responses-body.ts';
import { responsesOperation, responsesStreamOperation } from './responses-operation.ts';

export interface ResponsesService {
  /** Resolves with the whole response, once its row is in the ledger. */
  create(call: LiveCall<ResponsesBody>): Promise<{ generationId: string; answer: DialectObject }>;
  /**
   * Resolves with server-sent events when the first are there. The stream ends by itself in every case, and its
   * generation is in the ledger before its last event.
   */
  stream(call: LiveCall<ResponsesBody>): Promise<{ generationId: string; events: EventStream }>;
}

/** Chat in the dialect of OpenAI's Responses API. */
export function createResponsesService(deps: LiveDeps): ResponsesService {
  const [whole, streamed] = [responsesOperation(deps), responsesStreamOperation(deps)];
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
