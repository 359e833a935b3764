/** Translates what a chat says about reasoning to Gemini's `thinkingConfig`. */
import {
  type ModelReasoning,
  type ReasoningEffort,
  REASONING_EFFORTS,
} from '../../domain/catalog/model-facts.ts';
import { budgetOfEffort, effortOfBudget, reasonsBy } from '../../domain/catalog/reasoning-share.ts';
import { type Fields, isFields, withoutUndefined } from '../../domain/fields.ts';

/**
 * Returns how much the model may think: a budget for models that the catalog says to take one (0 for no thoughts), and
 * a level for others (ai.google.dev/gemini-api/docs/thinking, read 2026-11-28). Google refuses a request with both.
 */
export function toThinking(request: Fields, facts: ModelReasoning | undefined): Fields | undefined {
  const reasoning = isFields(request['reasoning']) ? request['reasoning'] : {};
  const { max_tokens: budget, enabled, exclude } = reasoning;
  const asked = reasoning['effort'] ?? request['reasoning_effort'];
  const effort = enabled === false ? 'none' : typeof asked === 'string' ? asked : undefined;
  const limit = request['max_completion_tokens'] ?? request['max_tokens'];
  // A model that does not think refuses to show thoughts.
  const isShown = exclude !== true && (facts !== undefined || (effort ?? budget ?? enabled) !== undefined);
  if (reasonsBy(facts) === 'tokens') {
    if (effort === 'none') return { thinkingBudget: 0 };
    const wanted = typeof budget === 'number' ? budget : effort && budgetOfEffort(effort, limit);
    return thinkingOf({ thinkingBudget: wanted }, isShown);
  }
  const wanted = typeof budget === 'number' && effort !== 'none' ? effortOfBudget(budget, limit) : effort;
  return thinkingOf({ thinkingLevel: wanted && nearestLevel(wanted, facts?.supportedEfforts) }, isShown);
}

function thinkingOf(amount: Fields, isShown: boolean): Fields | undefined {
  const config = withoutUndefined({ ...amount, includeThoughts: isShown ? true : undefined });
  return Object.keys(config).length === 0 ? undefined : config;
}

/** The levels of a model that the catalog says nothing about. */
const USUAL_LEVELS: readonly ReasoningEffort[] = ['high', 'medium', 'low', 'minimal'];

/** Returns the effort itself, or the next lower one that the model has, or else its lowest. Unknown words pass. */
function nearestLevel(effort: string, supported: readonly ReasoningEffort[] | null | undefined): string {
  const rank = REASONING_EFFORTS.indexOf(effort as ReasoningEffort);
  if (rank === -1) return effort;
  const levels = supported ?? USUAL_LEVELS;
  return REASONING_EFFORTS.slice(rank).find((level) => levels.includes(level)) ?? lowestOf(levels);
}

function lowestOf(levels: readonly ReasoningEffort[]): string {
  return REASONING_EFFORTS.findLast((level) => levels.includes(level)) ?? 'low';
}
