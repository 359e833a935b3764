/** Turns text into speech for callers, as a stream of sound. */
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
     * Resolves with the sound when its first bytes are there. The generation is in the ledger before the sound ends.
     * The stream fails if the sound breaks off.
     */
    async speak(
      call: LiveCall<SpeechBody>,
    ): Promise<{ generationId: string; format: SpeechFormat; audio: EventStream }> {
      const { generationId, result } = await runLive(deps, operation, call);
      return { generationId, ...result };
    },
  };
}

export type SpeechService = ReturnType<typeof createSpeechService>;
