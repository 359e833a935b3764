/** Translates requests in Anthropic's dialect to Bedrock's Converse. */
import { budgetOfEffort, effortOfBudget } from '../../domain/catalog/reasoning-share.ts';
import { type Fields, fieldsIn, fieldsOf, withoutUndefined } from '../../domain/fields.ts';
import { isStandardTier } from '../../domain/live/service-tier.ts';
import { hasContent, UnsupportedFields } from '../../domain/unsupported-fields.ts';
import type { TextRequest } from '../chat-adapter.ts';
import { cachePoints, ConverseBlocks } from './converse-blocks.ts';
import { toConverseTools } from './converse-tools.ts';
import { familyOf, type ModelFamily } from './model-family.ts';

const OF_CONVERSATION = ['cache_control', 'messages', 'model', 'system', 'tool_choice', 'tools'];
const OF_SAMPLING = ['max_tokens', 'stop_sequences', 'temperature', 'top_k', 'top_p'];
const OF_VENDORS = ['betas', 'output_config', 'service_tier', 'thinking'];
const WITHOUT_EFFECT = ['metadata', 'stream'];
/**
 * The fields that are translated, or have no effect on the answer. Bedrock's own names are refused, because guardrails,
 * faster answers and the models' own tools cost more than tokens.
 */
const KNOWN_FIELDS = new Set([...OF_CONVERSATION, ...OF_SAMPLING, ...OF_VENDORS, ...WITHOUT_EFFECT]);

/**
 * Returns the body of a Converse request. Throws an UnsupportedFieldsError that names every field without a
 * counterpart.
 */
export function toConverse(request: TextRequest): Fields {
  const unsupported = new UnsupportedFields();
  const blocks = new ConverseBlocks(unsupported);
  const family = familyOf(request.model);
  unsupported.addOthers(request, 'body', KNOWN_FIELDS);
  const { max_tokens: maxTokens, temperature, top_p: topP, stop_sequences: stopSequences } = request;
  const { service_tier: tier } = request;
  const { toolConfig, choice } = toConverseTools(request, family, unsupported);
  const body = withoutUndefined({
    ...toMessages(request, blocks),
    inferenceConfig: filled({ maxTokens, temperature, topP, stopSequences }),
    toolConfig,
    outputConfig: toFormat(request),
    // The gateway lets no tier pass for which the endpoint has no price.
    serviceTier: isStandardTier(tier) ? undefined : { type: tier },
    additionalModelRequestFields: filled({
      ...ownOptions(request, family, unsupported),
      tool_choice: choice,
    }),
  });
  unsupported.throwIfAny();
  return body;
}

/** Returns `system` and `messages`. Converse takes system prompts only at the start, and roles that take turns. */
function toMessages({ system, messages, cache_control }: TextRequest, blocks: ConverseBlocks): Fields {
  const prompt = blocks.contentOf(system, 'body.system');
  const turns: { role: unknown; content: Fields[] }[] = [];
  for (const [i, { role, content }] of fieldsIn(messages).entries()) {
    const translated = blocks.contentOf(content, `body.messages.${i}.content`);
    const last = turns.at(-1);
    if (role === 'system') prompt.push(...translated);
    else if (last?.role === role) last!.content.push(...translated);
    else turns.push({ role, content: translated });
  }
  turns.at(-1)?.content.push(...cachePoints({ cache_control }));
  return { system: prompt.length === 0 ? undefined : prompt, messages: turns };
}

/** Returns the schema of the answer, which Converse takes as a text. */
function toFormat({ output_config: output }: TextRequest): Fields | undefined {
  const { type, schema } = fieldsOf(fieldsOf(output)['format']);
  if (type !== 'json_schema') return undefined;
  const jsonSchema = { name: 'response', schema: JSON.stringify(schema) };
  return { textFormat: { type, structure: { jsonSchema } } };
}

/** Returns the options of a model's vendor, which Converse passes on without reading them. */
function ownOptions(request: TextRequest, family: ModelFamily, unsupported: UnsupportedFields): Fields {
  const { thinking, output_config: output, top_k: topK, betas } = request;
  const { effort } = fieldsOf(output);
  if (family === 'claude')
    return { thinking, output_config: filled({ effort }), top_k: topK, anthropic_beta: betas };
  const level = levelOf(thinking, effort, request['max_tokens']);
  if (family === 'nova') {
    const reasoningConfig = level && { type: 'enabled', maxReasoningEffort: level };
    return { reasoningConfig, inferenceConfig: filled({ topK }) };
  }
  if (hasContent(topK)) unsupported.add('body.top_k');
  if (family === 'openai') return { reasoning_effort: level };
  if (level !== undefined) unsupported.add('body.reasoning');
  return {};
}

/** Returns the effort of a request to think, one of three; undefined if it does not ask for thoughts. */
function levelOf(thinking: unknown, effort: unknown, maxTokens: unknown): string | undefined {
  const { type, budget_tokens: budget } = fieldsOf(thinking);
  if (type === undefined || type === 'disabled') return undefined;
  if (effort === undefined && typeof budget === 'number') return effortOfBudget(budget, maxTokens);
  return effortOfBudget(budgetOfEffort(effort, undefined), undefined);
}

/** Returns the fields that have content; undefined if there are none. */
function filled(fields: Fields): Fields | undefined {
  const kept = Object.entries(fields).filter(([, value]) => hasContent(value));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
