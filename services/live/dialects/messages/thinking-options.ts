import {
  budgetOfEffort,
  effortOfBudget,
  USUAL_MAX_TOKENS,
} from '../../../../domain/catalog/reasoning-share.ts';
import { type Losses, saysSomething } from '../../../routing/cannot-carry.ts';
import { type Fields, isFields, withoutUndefined } from '../fields.ts';

const REASONING_FIELDS = new Set(['effort', 'max_tokens', 'enabled', 'exclude', 'summary']);

/** How the endpoint's model thinks; what is absent is not known. */
export interface ThinkingFacts {
  /** The only word that it takes; undefined: either. */
  reasonsBy?: 'effort' | 'tokens' | undefined;
  /** The longest answer, thoughts included, in tokens. */
  maxOutputTokens?: number | undefined;
}

/** `thinking`, and `output_config` with the effort and the format, as a chat request says them. */
export function toThinkingOptions(request: Fields, losses: Losses, facts: ThinkingFacts = {}): Fields {
  const reasoning = isFields(request['reasoning']) ? request['reasoning'] : {};
  for (const name in reasoning) {
    if (!REASONING_FIELDS.has(name) && saysSomething(reasoning[name])) losses.add(`body.reasoning.${name}`);
  }
  // How long the summary shall be is not for the caller to say there.
  if (saysSomething(reasoning['summary']) && reasoning['summary'] !== 'auto')
    losses.add('body.reasoning.summary');
  const maxTokens = request['max_completion_tokens'] ?? request['max_tokens'] ?? undefined;
  const wish = wishOf(reasoning, request['reasoning_effort']);
  const { effort, thinking } = inOneWord(wish, facts, maxTokens, losses);
  const format = toFormat(request['response_format'], losses);
  const output = withoutUndefined({
    effort: thinking?.['type'] === 'disabled' ? undefined : toEffort(effort),
    format,
  });
  return {
    // What does not think unless it is told to has nothing to leave out.
    thinking:
      thinking === undefined && facts.reasonsBy === 'tokens' ? undefined : withDisplay(thinking, reasoning),
    output_config: Object.keys(output).length === 0 ? undefined : output,
  };
}

interface Wish {
  effort: unknown;
  thinking: Fields | undefined;
}

function wishOf(reasoning: Fields, reasoningEffort: unknown): Wish {
  const { enabled, max_tokens: budget } = reasoning;
  const effort = reasoning['effort'] ?? reasoningEffort ?? undefined;
  if (enabled === false || effort === 'none') return { effort, thinking: { type: 'disabled' } };
  if (typeof budget === 'number') return { effort, thinking: { type: 'enabled', budget_tokens: budget } };
  return { effort, thinking: enabled === true || effort !== undefined ? { type: 'adaptive' } : undefined };
}

/** The least budget that Anthropic takes, which has to leave room in the answer. */
const MIN_BUDGET = 1_024;

/** Some models know no effort and do not think by themselves, others know no budget; each refuses what it does not know. */
function inOneWord(
  { effort, thinking }: Wish,
  { reasonsBy, maxOutputTokens = USUAL_MAX_TOKENS }: ThinkingFacts,
  maxTokens: unknown,
  losses: Losses,
): Wish {
  if (reasonsBy === 'effort' && thinking?.['type'] === 'enabled') {
    const budget = thinking['budget_tokens'] as number;
    return { effort: effort ?? effortOfBudget(budget, maxTokens), thinking: { type: 'adaptive' } };
  }
  if (reasonsBy !== 'tokens' || thinking === undefined) return { effort, thinking };
  if (thinking['type'] !== 'adaptive') return { effort: undefined, thinking };
  if (typeof maxTokens === 'number' && maxTokens <= MIN_BUDGET)
    losses.add('body.max_tokens', `must be more than ${MIN_BUDGET} for the thoughts of this model`);
  const room = maxTokens ?? Math.min(USUAL_MAX_TOKENS, maxOutputTokens);
  const budget = Math.max(MIN_BUDGET, budgetOfEffort(effort, room));
  return { effort: undefined, thinking: { type: 'enabled', budget_tokens: budget } };
}

function withDisplay(thinking: Fields | undefined, { exclude, summary }: Fields): Fields | undefined {
  if (thinking?.['type'] === 'disabled') return thinking;
  if (exclude === true) return { ...(thinking ?? { type: 'adaptive' }), display: 'omitted' };
  return thinking !== undefined && summary === 'auto' ? { ...thinking, display: 'summarized' } : thinking;
}

/** The least that Anthropic knows. */
function toEffort(effort: unknown): unknown {
  return effort === 'minimal' ? 'low' : effort;
}

function toFormat(format: unknown, losses: Losses): Fields | undefined {
  if (!isFields(format) || format['type'] === 'text') return undefined;
  const { type, json_schema: described } = format;
  const schema = isFields(described) ? described['schema'] : undefined;
  if (type === 'json_schema' && isFields(schema)) return { type, schema };
  losses.add(
    'body.response_format.type',
    'must be text, or json_schema with a schema, for the provider of this model',
  );
  return undefined;
}
