/** Tells by its id who made a model on Bedrock, because vendors' own options differ. */

export type ModelFamily = 'claude' | 'nova' | 'openai' | 'other';

/**
 * Returns the family of a model id: `anthropic.claude-…`, with the prefix of an inference profile
 * (`eu.anthropic.claude-…`), or an ARN that contains one of these. The ARN of an application's inference profile tells
 * nothing about its model; it counts as Claude, whose options most such profiles take.
 */
export function familyOf(model: string): ModelFamily {
  if (model.includes('anthropic.') || model.includes(':application-inference-profile/')) return 'claude';
  if (model.includes('amazon.nova')) return 'nova';
  return model.includes('openai.') ? 'openai' : 'other';
}
