/** Names the attributes of a span as OpenRouter's broadcasts did, for existing dashboards. */
import { type Attributes, presentAttributes } from '../attribute.ts';
import { UNOFFICIAL } from '../semantic-names.ts';
import type { BroadcastSpan } from '../span.ts';

/** Adds the older names that dashboards made for OpenRouter's broadcasts read. */
export function openRouterAttributes({ provider, usage, finishReason }: BroadcastSpan): Attributes {
  return presentAttributes({
    [UNOFFICIAL.system]: provider,
    [UNOFFICIAL.totalTokens]: usage?.total,
    [UNOFFICIAL.promptTokens]: usage?.input,
    [UNOFFICIAL.completionTokens]: usage?.output,
    [UNOFFICIAL.finishReason]: finishReason,
  });
}
