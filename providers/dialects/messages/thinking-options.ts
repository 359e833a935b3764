/** Translates how much a chat request lets the model think, and its answer format, to Anthropic's options. */
import {
  budgetOfEffort,
  effortOfBudget,
  DEFAULT_MAX_TOKENS,
} from '../../../domain/catalog/reasoning-share.ts';
import { type UnsupportedFields, hasContent } from '../../../domain/unsupported-fields.ts';
import { type Fields, isFields, withoutUndefined } from '../../../domain/fields.ts';

const REASONING_FIELDS = new Set(['effort', 'max_tokens', 'enabled', 'exclude', 'summary']);

/** Facts about how the endpoint's model thinks. An absent fact is unknown. */
export interface ThinkingFacts {
  /** The only way in which the model accepts a limit on thinking. When undefined, it accepts both ways. */
  reasonsBy?: 'effort' | 'tokens' | undefined;
  /** The longest answer in tokens, thinking included. */
  maxOutputTokens?: number | undefined;
}

/** Returns `thinking`, and `output_config` with effort and format, for a chat request. */
export function toThinkingOptions(
  request: Fields,
  unsupported: UnsupportedFields,
  facts: ThinkingFacts = {},
): Fields {
  const reasoning = isFields(request['reasoning']) ? request['reasoning'] : {};
  unsupported.addOthers(reasoning, 'body.reasoning', REASONING_FIELDS);
  // Anthropic has no option for the length of the summary.
  if (hasContent(reasoning['summary']) && reasoning['summary'] !== 'auto')
    unsupported.add('body.reasoning.summary');
  const maxTokens = request['max_completion_tokens'] ?? request['max_tokens'] ?? undefined;
  const requested = readThinking(reasoning, request['reasoning_effort']);
  const { effort, thinking } = inAcceptedTerms(requested, facts, maxTokens, unsupported);
  const format = toFormat(request['response_format'], unsupported);
  const output = withoutUndefined({
    effort: thinking?.['type'] === 'disabled' ? undefined : toEffort(effort),
    format,
  });
  return {
    // A model that accepts only budgets does not think by default, so it has no thoughts to omit.
    thinking:
      thinking === undefined && facts.reasonsBy === 'tokens' ? undefined : withDisplay(thinking, reasoning),
    output_config: Object.keys(output).length === 0 ? undefined : output,
  };
}

interface RequestedThinking {
  effort: unknown;
  thinking: Fields | undefined;
}

function readThinking(reasoning: Fields, reasoningEffort: unknown): RequestedThinking {
  const { enabled, max_tokens: budget } = reasoning;
  const effort = reasoning['effort'] ?? reasoningEffort ?? undefined;
  if (enabled === false || effort === 'none') return { effort, thinking: { type: 'disabled' } };
  if (typeof budget === 'number') return { effort, thinking: { type: 'enabled', budget_tokens: budget } };
  return { effort, thinking: enabled === true || effort !== undefined ? { type: 'adaptive' } : undefined };
}

/** The smallest thinking budget that Anthropic accepts. The answer's limit must be larger. */
const MIN_BUDGET = 1_024;

/**
 * Expresses the requested thinking in the form that the model accepts. Models of one kind accept only a budget and do
 * not think by default; models of another kind accept only an effort.
 */
function inAcceptedTerms(
  { effort, thinking }: RequestedThinking,
  { reasonsBy, maxOutputTokens = DEFAULT_MAX_TOKENS }: ThinkingFacts,
  maxTokens: unknown,
  unsupported: UnsupportedFields,
): RequestedThinking {
  if (reasonsBy === 'effort' && thinking?.['type'] === 'enabled') {
    const budget = thinking['budget_tokens'] as number;
    return { effort: effort ?? effortOfBudget(budget, maxTokens), thinking: { type: 'adaptive' } };
  }
  if (reasonsBy !== 'tokens' || thinking === undefined) return { effort, thinking };
  if (thinking['type'] !== 'adaptive') return { effort: undefined, thinking };
  if (typeof maxTokens === 'number' && maxTokens <= MIN_BUDGET)
    unsupported.add('body.max_tokens', `must be more than ${MIN_BUDGET} for the thoughts of this model`);
  const room = maxTokens ?? Math.min(DEFAULT_MAX_TOKENS, maxOutputTokens);
  const budget = Math.max(MIN_BUDGET, budgetOfEffort(effort, room));
  return { effort: undefined, thinking: { type: 'enabled', budget_tokens: budget } };
}

function withDisplay(thinking: Fields | undefined, { exclude, summary }: Fields): Fields | undefined {
  if (thinking?.['type'] === 'disabled') return thinking;
  if (exclude === true) return { ...(thinking ?? { type: 'adaptive' }), display: 'omitted' };
  return thinking !== undefined && summary === 'auto' ? { ...thinking, display: 'summarized' } : thinking;
}

/** Returns an effort that Anthropic accepts; `low` is its lowest. */
function toEffort(effort: unknown): unknown {
  return effort === 'minimal' ? 'low' : effort;
}

function toFormat(format: unknown, unsupported: UnsupportedFields): Fields | undefined {
  if (!isFields(format) || format['type'] === 'text') return undefined;
  const { type, json_schema: described } = format;
  const schema = isFields(described) ? described['schema'] : undefined;
  if (type === 'json_schema' && isFields(schema)) return { type, schema };
  unsupported.add(
    'body.response_format.type',
    'must be text, or json_schema with a schema, for the provider of this model',
  );
  return undefined;
}
