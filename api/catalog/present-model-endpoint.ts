/** Turns an endpoint of a model into the record that responses show, with its recent performance. */
import type { ModelEndpointRecord } from '../../contract/catalog/model.ts';
import type { ListedEndpoint, ListedModel } from '../../domain/catalog/listed-model.ts';
import type { ModelService } from '../../services/catalog/model-service.ts';
import { presentModelPricing } from './present-model.ts';

type Facts = Pick<ModelService, 'performanceOf' | 'providerName'>;

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
