import type { SpeechFormat } from '../../../domain/live/speech.ts';
import type { EventStream } from '../../../platform/event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { runLive } from '../pipeline/run-live.ts';
import { speechOperation } from './speech-operation.ts';
import type { SpeechBody } from './speech-request.ts';

export function createSpeechService(deps: LiveDeps) {
  const operation = speechOperation(deps);
  return {
    /**
     * Resolves with the sound when its first bytes are there. Its generation is in the ledger before its end; a sound that
     * breaks off fails.
     */
    async speak(
      call: LiveCall<SpeechBody>,
    ): Promise<{ generationId: string; format: SpeechFormat; audio: EventStream }> {
      const { generationId, result } = await runLive(deps, operation, call);
      return { generationId, ...result };
    },
  };
}
