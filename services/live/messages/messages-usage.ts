/** Shows the usage and the cost of an answer in Anthropic's dialect. */
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { TokenCost } from '../../../domain/catalog/token-price.ts';
import type { Fields } from '../../../domain/fields.ts';
import { USAGE_WITHOUT_COUNTS } from '../../../providers/dialects/messages/new-message.ts';
import { compactionIn } from '../../../providers/dialects/messages/usage.ts';
import { showUsage } from '../token-usage.ts';
import { countedIn } from './messages-meter.ts';

/**
 * Returns the usage for the caller: the upstream's own counts under Anthropic's names, the billed counts, and the
 * cost. A compaction is part of the cost but, as with Anthropic, counted only in `iterations`.
 */
export function showMessagesUsage(
  usage: TokenUsage,
  cost: TokenCost,
  reported: Fields,
  target: Pick<Target, 'own'>,
): Fields {
  const { cacheRead = 0, cacheWrite = 0 } = usage;
  const apart = compactionIn(reported);
  const shown = showUsage(usage, cost, countedIn(reported), target);
  const { cost: dollars, is_byok, is_estimated, cost_details } = shown;
  return {
    ...USAGE_WITHOUT_COUNTS,
    ...reported,
    input_tokens: usage.prompt - cacheRead - cacheWrite - apart.input,
    cache_creation_input_tokens: cacheWrite - apart.written,
    cache_read_input_tokens: cacheRead - apart.read,
    output_tokens: usage.completion - apart.output,
    cost: dollars,
    is_byok,
    ...(is_estimated && { is_estimated }),
    cost_details,
  };
}
