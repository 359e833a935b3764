import type { DialectObject } from '../../../providers/dialect-adapter.ts';
import { answerToChat } from '../../../providers/dialects/messages/answer-to-chat.ts';
import type { OpenGeneration } from '../generation.ts';
import type { Answered, WholeAnswer } from '../pipeline/live-operation.ts';
import { billText } from '../pipeline/text-bill.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import { meterOfMessage } from './messages-meter.ts';
import { showMessagesUsage } from './messages-usage.ts';

/** Bills an upstream's whole message and presents it to the caller. */
export function endMessage(
  open: OpenGeneration,
  prompt: PromptFacts,
  { target, answer, providerName }: Answered<DialectObject>,
): WholeAnswer<DialectObject> {
  open.draft?.answer(answerToChat(answer));
  const meter = meterOfMessage(answer);
  const { usage, cost, billed } = billText(target, prompt, meter, undefined);
  return {
    billed,
    show() {
      // Replaces values in the upstream's own object, which no other code holds.
      Object.assign(answer, {
        id: open.id,
        type: 'message',
        role: 'assistant',
        model: target.model.id,
        provider: providerName,
      });
      answer['stop_reason'] ??= null;
      answer['stop_sequence'] ??= null;
      answer['usage'] = showMessagesUsage(usage, cost, meter.reported, target);
      return answer;
    },
  };
}
