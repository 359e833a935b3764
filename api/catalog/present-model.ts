/** Presents models and their endpoints. */
import type { ModelEndpointRecord, ModelRecord } from '../../contract/catalog/model.ts';
import type { ListedEndpoint, ListedModel } from '../../domain/catalog/listed-model.ts';
import { familyOf, type ModelBenchmarks, type ModelReasoning } from '../../domain/catalog/model-facts.ts';
import type { ModelService } from '../../services/catalog/model-service.ts';
import { API_BASE } from '../http/base-path.ts';
import { presentModelPricing } from './present-pricing.ts';

/** Presents a model. Prices and limits are those of its first endpoint, which serves requests without preferences. */
export function presentModel(model: ListedModel): ModelRecord {
  const { endpoints, reasoning, benchmarks } = model;
  const [best] = endpoints;
  const voices = endpoints.flatMap((endpoint) => endpoint.voices ?? []);
  return {
    id: model.id,
    object: 'model',
    owned_by: ownerOf(model),
    canonical_slug: model.canonicalSlug,
    name: model.name,
    description: model.description ?? '',
    created: createdOf(model),
    context_length: model.contextLength,
    architecture: presentArchitecture(model),
    pricing: presentModelPricing(best.pricing),
    top_provider: {
      context_length: best.contextLength ?? model.contextLength,
      max_completion_tokens: best.maxCompletionTokens,
      is_moderated: best.isModerated,
    },
    per_request_limits: null,
    supported_parameters: [...new Set(endpoints.flatMap((e) => e.supportedParameters))],
    supported_voices: voices.length === 0 ? null : [...new Set(voices)],
    default_parameters: presentDefaults(model),
    hugging_face_id: model.huggingFaceId,
    knowledge_cutoff: model.knowledgeCutoff,
    expiration_date: model.expirationDate,
    links: { details: detailsPath(model) },
    reasoning: reasoning === null ? undefined : presentReasoning(reasoning),
    benchmarks: benchmarks === null ? undefined : presentBenchmarks(benchmarks),
  };
}

/** Returns the creation time in Unix seconds. */
export function createdOf({ createdAt }: ListedModel): number {
  return Math.floor(createdAt.getTime() / 1_000);
}

/** Returns the author of the model, the first part of its id. */
export function ownerOf({ id }: ListedModel): string {
  const [author = ''] = id.split('/');
  return author;
}

export function presentArchitecture(model: ListedModel): ModelRecord['architecture'] {
  const { inputModalities, outputModalities, instructType } = model;
  return {
    modality: `${inputModalities.join('+')}->${outputModalities.join('+')}`,
    input_modalities: inputModalities,
    output_modalities: outputModalities,
    tokenizer: familyOf(model),
    instruct_type: instructType,
  };
}

/** Returns the path of a model's details. A variant's colon needs no escape. */
function detailsPath({ id }: ListedModel): string {
  const path = id.split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':');
  return `${API_BASE}/models/${path}/endpoints`;
}

function presentDefaults({ defaultParameters: defaults }: ListedModel): ModelRecord['default_parameters'] {
  if (defaults === null) return null;
  return {
    temperature: defaults.temperature,
    top_p: defaults.topP,
    top_k: defaults.topK,
    frequency_penalty: defaults.frequencyPenalty,
    presence_penalty: defaults.presencePenalty,
    repetition_penalty: defaults.repetitionPenalty,
  };
}

function presentReasoning(reasoning: ModelReasoning): ModelRecord['reasoning'] {
  return {
    mandatory: reasoning.mandatory,
    default_enabled: reasoning.defaultEnabled,
    default_effort: reasoning.defaultEffort,
    supported_efforts: reasoning.supportedEfforts,
    supports_max_tokens: reasoning.supportsMaxTokens,
  };
}

/**
 * Presents benchmarks. The success rate of tool calls is left out: lists can be filtered by it, but clients know no
 * field for it.
 */
function presentBenchmarks(benchmarks: ModelBenchmarks): ModelRecord['benchmarks'] {
  const { intelligenceIndex, codingIndex, agenticIndex, designArena } = benchmarks;
  const indexes = {
    intelligence_index: intelligenceIndex,
    coding_index: codingIndex,
    agentic_index: agenticIndex,
  };
  return {
    artificial_analysis: Object.values(indexes).every((index) => index === null) ? undefined : indexes,
    design_arena: designArena.map(({ winRate, ...entry }) => ({ ...entry, win_rate: winRate })),
  };
}

type Facts = Pick<ModelService, 'performanceOf' | 'providerName'>;

/** Turns an endpoint of a model into the record that responses show, with its recent performance. */
export function presentModelEndpoint(
  model: ListedModel,
  endpoint: ListedEndpoint,
  { performanceOf, providerName }: Facts,
): ModelEndpointRecord {
  const performance = performanceOf(model, endpoint);
  const name = providerName(endpoint.providerSlug);
  const choosesTools = endpoint.supportedParameters.includes('tool_choice');
  return {
    name: `${name} | ${model.id}`,
    model_id: model.id,
    model_name: model.name,
    provider_name: name,
    tag: tagOf(endpoint),
    context_length: endpoint.contextLength ?? model.contextLength ?? 0,
    max_prompt_tokens: endpoint.maxPromptTokens,
    max_completion_tokens: endpoint.maxCompletionTokens,
    pricing: presentModelPricing(endpoint.pricing),
    quantization: endpoint.quantization,
    supported_parameters: endpoint.supportedParameters,
    supports_implicit_caching: endpoint.cachesImplicitly,
    supports_tool_choice: {
      auto: choosesTools,
      function: choosesTools,
      none: choosesTools,
      required: choosesTools,
    },
    supports_voice_cloning: endpoint.clonesVoices,
    supports_diarization: false,
    native_tools: {},
    service_tier: null,
    latency_last_30m: performance.latencyMs,
    throughput_last_30m: performance.throughput,
    uptime_last_5m: performance.uptime5m,
    uptime_last_30m: performance.uptime30m,
    uptime_last_1d: performance.uptime1d,
  };
}

function tagOf({ providerSlug, region, quantization }: ListedEndpoint): string {
  return [
    providerSlug,
    ...(region === 'global' ? [] : [region]),
    ...(quantization === null ? [] : [quantization]),
  ].join('/');
}
