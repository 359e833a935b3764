import type { Modality } from '../../../domain/modality.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { TokenCost } from '../../../domain/catalog/token-price.ts';
import type { ChatChoice, ChatCompletion } from '../../../providers/chat-adapter.ts';
import { answeringModel } from '../answering-model.ts';
import { nameFinish, nativeFinishOf } from '../../../domain/live/finish-reason.ts';
import type { OpenGeneration } from '../generation.ts';
import type { Answered, WholeAnswer } from '../pipeline/live-operation.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import { billTokens } from '../prompt/token-bill.ts';
import { hasPictures, hasSound } from './made-media.ts';
import { messageWeight, textWeight, tokensOfWeight } from '../token-estimate.ts';
import { hasTextCounts, showUsage, toTextUsage } from '../token-usage.ts';

/** Bills an upstream's whole answer and presents it to the caller. */
export function endChat(
  open: OpenGeneration,
  prompt: PromptFacts,
  { target, answer, providerName }: Answered<ChatCompletion>,
): WholeAnswer<ChatCompletion> {
  open.draft?.answer(answer);
  const { usage: counted } = answer;
  const estimate = (): TokenUsage => estimateUsage(prompt.estimatedTokens, answer);
  const usage = counted ? toTextUsage(counted, estimate) : estimate();
  const { cost, billed } = billTokens(target, prompt, {
    usage,
    isEstimated: !counted || !hasTextCounts(counted),
    outputModalities: modalitiesOf(answer.choices),
    servedTier: answer.service_tier,
  });
  const [first] = answer.choices;
  return {
    billed: {
      ...billed,
      finishReason: first?.finish_reason ?? null,
      nativeFinishReason: nativeFinishOf(first),
      upstreamId: answer.id ?? null,
      responseModel: answeringModel(answer),
      serviceTier: answer.service_tier ?? null,
      toolCalls: answer.choices.reduce((sum, { message }) => sum + (message.tool_calls?.length ?? 0), 0),
    },
    show: () => show(answer, { id: open.id, target, providerName, usage, cost }),
  };
}

interface Shown {
  id: string;
  target: Target;
  providerName: string;
  usage: TokenUsage;
  cost: TokenCost;
}

/** Presents the upstream's answer by replacing fields in place; no other code holds the object. */
function show(answer: ChatCompletion, { id, target, providerName, usage, cost }: Shown): ChatCompletion {
  for (const choice of answer.choices) nameFinish(choice);
  answer.id = id;
  answer['object'] = 'chat.completion';
  answer['created'] ??= Math.floor(Date.now() / 1_000);
  answer['model'] = target.model.id;
  answer['provider'] = providerName;
  answer['system_fingerprint'] ??= null;
  answer.usage = showUsage(usage, cost, answer.usage ?? undefined, target);
  return answer;
}

/** Estimates the usage of an answer from an upstream that does not count tokens. */
function estimateUsage(promptTokens: number, { choices }: ChatCompletion): TokenUsage {
  let weight = 0;
  for (const { message } of choices) {
    weight += messageWeight(message);
    if (message.tool_calls !== undefined) weight += textWeight(JSON.stringify(message.tool_calls));
  }
  return { prompt: promptTokens, completion: tokensOfWeight(weight) };
}

function modalitiesOf(choices: ChatChoice[]): Modality[] {
  const modalities: Modality[] = ['text'];
  if (choices.some(({ message }) => hasPictures(message))) modalities.push('image');
  if (choices.some(({ message }) => hasSound(message))) modalities.push('audio');
  return modalities;
}
