import type { AppError } from '../../../domain/errors.ts';
import type { ChatChunk } from '../../../providers/chat-adapter.ts';
import type { OpenGeneration } from '../generation.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { Answered, LiveStream } from '../pipeline/live-operation.ts';
import { billText, type TextBill } from '../pipeline/text-bill.ts';
import type { PromptFacts } from '../prompt-facts.ts';
import { showUsage } from '../token-usage.ts';
import { createChatMeter } from './chat-meter.ts';
import { createChunkWriter, event, type Stamp } from './chunk-writer.ts';

const DONE = 'data: [DONE]\n\n';

/**
 * Presents a chat's stream: every chunk under the generation's id, then, once the generation is in the ledger, one with
 * the usage. What arrived together is sent together. A failure in mid-stream is the last event but the usage.
 */
export function streamChat(
  deps: LiveDeps,
  open: OpenGeneration,
  prompt: PromptFacts,
  { target, answer, providerName }: Answered<AsyncIterable<ChatChunk[]>>,
): LiveStream<ChatChunk, TextBill> {
  const stamp: Stamp = {
    id: open.id,
    object: 'chat.completion.chunk',
    created: Math.floor(open.startedAtMs / 1_000),
    model: target.model.id,
    provider: providerName,
  };
  const meter = createChatMeter();
  const chunkEvent = createChunkWriter(stamp);
  const { draft } = open;
  return {
    parts: answer,
    present(arrived) {
      let text = '';
      for (const chunk of arrived) {
        meter.see(chunk);
        draft?.see(chunk);
        text += chunkEvent(chunk);
      }
      return text;
    },
    bill: (failure) => billText(target, prompt, meter, failure),
    last({ usage, cost }, failure) {
      const failed = failure === undefined ? '' : errorEvent(deps, stamp, failure);
      return failed + event({ ...stamp, choices: [], usage: showUsage(usage, cost, meter.counted) }) + DONE;
    },
    lastWords: (error) => errorEvent(deps, stamp, error) + DONE,
  };
}

function errorEvent({ showError }: LiveDeps, stamp: Stamp, error: AppError): string {
  const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error' }];
  return event({ ...stamp, choices, error: showError(error) });
}
