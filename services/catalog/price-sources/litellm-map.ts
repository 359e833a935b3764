/**
 * Reads LiteLLM's map of models (`model_prices_and_context_window.json`): one object, whose keys are names of models,
 * some with the vendor before a slash. Prices are dollars of one token.
 */
import type { Fields } from '../../../domain/fields.ts';
import { readLitellmPrices } from './litellm-prices.ts';
import { dayOf, entriesOf, fieldsOf, listOf, nameOf, tokensOf } from './source-json.ts';
import type { SourceModel } from './source-model.ts';

/** Describes the fields to readers of the map, and is no model. */
const SAMPLE = 'sample_spec';
/** Vendors that the map has under several names. */
const PROVIDERS: Record<string, string> = {
  cohere_chat: 'cohere',
  'text-completion-openai': 'openai',
  gemini: 'google',
  vertex_ai: 'google-vertex',
  'vertex_ai-language-models': 'google-vertex',
  'vertex_ai-embedding-models': 'google-vertex',
  'vertex_ai-anthropic_models': 'google-vertex',
  'vertex_ai-openai_models': 'google-vertex',
  'vertex_ai-zai_models': 'google-vertex',
  together_ai: 'together',
  fireworks_ai: 'fireworks',
  moonshot: 'moonshotai',
  zai: 'z-ai',
  dashscope: 'alibaba',
  jina_ai: 'jina',
  bedrock_converse: 'bedrock',
  bedrock_mantle: 'bedrock-mantle',
};

/** The parameters of chat requests that the map's facts stand for. */
const PARAMETERS: Record<string, string[]> = {
  supports_function_calling: ['tools'],
  supports_tool_choice: ['tool_choice'],
  supports_parallel_function_calling: ['parallel_tool_calls'],
  supports_reasoning: ['reasoning'],
  supports_response_schema: ['response_format', 'structured_outputs'],
};

/** Returns the models of the map. Those without a vendor are left out. */
export function parseLitellmMap(file: unknown): SourceModel[] {
  return entriesOf(file, 'the file').flatMap(([key, value]) => {
    if (key === SAMPLE) return [];
    const name = nameOf(key, 'a key of the file');
    const model = fieldsOf(value, name);
    const vendor = model['litellm_provider'];
    return typeof vendor === 'string' && vendor !== '' ? [readModel(name, vendor, model)] : [];
  });
}

function readModel(key: string, vendor: string, model: Fields): SourceModel {
  // The kinds of models at one cloud have names such as `vertex_ai-openai_models`, and the cloud's own in their keys.
  const prefix = `${vendor.replace(/^vertex_ai-.*/, 'vertex_ai')}/`;
  const window = tokensOf(model['max_input_tokens']);
  return {
    provider: PROVIDERS[vendor] ?? nameOf(vendor, `${key}.litellm_provider`),
    id: key.startsWith(prefix) ? key.slice(prefix.length) : key,
    names: [],
    ...readLitellmPrices(model, key),
    maxPromptTokens: window,
    // Models that answer in tokens of text count them within their window, of which the map has the prompt's part.
    maxCompletionTokens: tokensOf(model['max_output_tokens']),
    inputModalities: inputModalities(model, key),
    outputModalities: textsOf(model['supported_output_modalities'], key),
    parameters: Object.entries(PARAMETERS).flatMap(([fact, names]) => (model[fact] === true ? names : [])),
    expirationDate: dayOf(model['deprecation_date']),
  };
}

function inputModalities(model: Fields, key: string): string[] | undefined {
  const listed = textsOf(model['supported_modalities'], key);
  if (listed === undefined && model['mode'] !== 'chat') return undefined;
  const facts = {
    supports_vision: 'image',
    supports_audio_input: 'audio',
    supports_video_input: 'video',
    supports_pdf_input: 'file',
  };
  const shown = Object.entries(facts).flatMap(([fact, modality]) => (model[fact] === true ? [modality] : []));
  return [...new Set([...(listed ?? ['text']), ...shown])];
}

function textsOf(value: unknown, key: string): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  return listOf(value, `${key}, a list of modalities,`).filter((text) => typeof text === 'string');
}
