/** Translates the options and tools of a chat request to Gemini's. */
import type { ModelReasoning } from '../../domain/catalog/model-facts.ts';
import { type Fields, fieldsIn, isFields, textOf, withoutUndefined } from '../../domain/fields.ts';
import type { UnsupportedFields } from '../../domain/unsupported-fields.ts';
import { otherFields, RARE_FIELDS, READ_FIELDS } from '../dialects/chat-fields.ts';
import { toThinking } from './thinking.ts';

/** Fields of the request, by their names in `generationConfig`. */
const CONFIG: Record<string, string> = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  seed: 'seed',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
  n: 'candidateCount',
};
/** Fields that other code translates, or that say nothing to Gemini. */
const READ = new Set([...READ_FIELDS, ...Object.keys(CONFIG), 'model', 'image_config', 'user']);

/**
 * Gemini's own names of what the adapter writes. With them a request could get past the limits and prices that the
 * gateway has read from the fields of a chat.
 */
const WRITTEN = new Set(['contents', 'systemInstruction', 'toolConfig', 'serviceTier']);

const WRITTEN_CONFIG = new Set([
  ...Object.values(CONFIG),
  'maxOutputTokens',
  'stopSequences',
  'responseModalities',
  'imageConfig',
  'thinkingConfig',
  'responseMimeType',
  'responseJsonSchema',
]);

/** Returns Gemini's request without the conversation. Fields of Gemini's own, such as `safetySettings`, pass. */
export function toOptions(
  request: Fields,
  unsupported: UnsupportedFields,
  reasoning: ModelReasoning | undefined,
): Fields {
  const { generationConfig: ownConfig, ...own } = ownFields(request, unsupported);
  const generationConfig = withoutUndefined({
    ...ownConfig,
    ...Object.fromEntries(Object.entries(CONFIG).map(([from, to]) => [to, request[from] ?? undefined])),
    maxOutputTokens: request['max_completion_tokens'] ?? request['max_tokens'] ?? undefined,
    stopSequences: request['stop'] == null ? undefined : [request['stop']].flat(),
    responseModalities: Array.isArray(request['modalities'])
      ? request['modalities'].map((kind) => textOf(kind).toUpperCase())
      : undefined,
    imageConfig: toImageConfig(request['image_config']),
    thinkingConfig: toThinking(request, reasoning),
    ...toFormat(request['response_format'], unsupported),
  });
  return withoutUndefined({
    generationConfig: Object.keys(generationConfig).length === 0 ? undefined : generationConfig,
    ...toTools(request, unsupported),
    serviceTier: TIERS[textOf(request['service_tier'])],
    ...own,
  });
}

/** Returns the fields that Gemini alone has, in camel case. */
function ownFields(request: Fields, unsupported: UnsupportedFields): Fields & { generationConfig?: Fields } {
  const own: Fields = {};
  const others = otherFields(request, { read: READ, lacking: RARE_FIELDS }, unsupported);
  for (const name in others) {
    if (WRITTEN.has(toCamelCase(name))) unsupported.add(`body.${name}`, INSTEAD);
    else own[toCamelCase(name)] = others[name];
  }
  const { generationConfig: config, ...rest } = own;
  if (!isFields(config)) return rest;
  for (const name in config)
    if (WRITTEN_CONFIG.has(toCamelCase(name))) unsupported.add(`body.generationConfig.${name}`, INSTEAD);
  return { ...rest, generationConfig: config };
}

const INSTEAD = 'must be sent under the name that a chat has for it';

/** Returns a field's name in camel case. Google takes names with underscores, too. */
function toCamelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toImageConfig(config: unknown): Fields | undefined {
  if (!isFields(config)) return undefined;
  const { aspect_ratio: aspectRatio, image_size: imageSize, ...rest } = config;
  return withoutUndefined({ aspectRatio, imageSize, ...rest });
}

function toFormat(format: unknown, unsupported: UnsupportedFields): Fields {
  if (!isFields(format) || format['type'] === 'text') return {};
  const { type, json_schema: described } = format;
  if (type === 'json_object') return { responseMimeType: 'application/json' };
  const schema = isFields(described) ? described['schema'] : undefined;
  if (type === 'json_schema' && isFields(schema)) {
    return { responseMimeType: 'application/json', responseJsonSchema: schema };
  }
  unsupported.addName('body.response_format.type', type);
  return {};
}

const [flex, priority, standard] = ['flex', 'priority', 'standard'];
const TIERS: Record<string, string> = { flex, priority, standard, default: standard };

const MODES: Record<string, string> = { auto: 'AUTO', none: 'NONE', required: 'ANY' };

function toTools(request: Fields, unsupported: UnsupportedFields): Fields {
  const { tools, tool_choice: choice } = request;
  if (!Array.isArray(tools) || tools.length === 0) return {};
  const functionDeclarations = fieldsIn(tools).map(({ type, function: described }, i) => {
    if (type !== 'function' || !isFields(described)) {
      unsupported.addName(`body.tools.${i}.type`, type);
      return {};
    }
    const { name, description, parameters } = described;
    return withoutUndefined({
      name,
      description: description ?? undefined,
      parametersJsonSchema: parameters ?? undefined,
    });
  });
  const functionCallingConfig = toChoice(choice, unsupported);
  return {
    tools: [{ functionDeclarations }],
    ...(functionCallingConfig && { toolConfig: { functionCallingConfig } }),
  };
}

function toChoice(choice: unknown, unsupported: UnsupportedFields): Fields | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (typeof choice === 'string' && MODES[choice] !== undefined) return { mode: MODES[choice] };
  const named = isFields(choice) && isFields(choice['function']) ? choice['function'] : {};
  if (typeof named['name'] === 'string') return { mode: 'ANY', allowedFunctionNames: [named['name']] };
  unsupported.add('body.tool_choice');
  return undefined;
}
