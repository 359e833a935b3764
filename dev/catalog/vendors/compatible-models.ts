/**
 * Lists models that several vendors serve on OpenAI's wire, with each vendor's name of them. Context, limits, prices
 * and dates come from the price sources. The sources have no days of release, so `created` is the day on which a model
 * came into this catalog.
 */
import type { VendorModel } from '../vendor.ts';

interface OpenModel {
  id: string;
  name: string;
  description: string;
  /** The modalities that the model reads besides text. */
  reads?: 'image'[];
  /** False: the model has no thoughts. Absent: it has. */
  thinks?: false;
  /** False: the model calls no tools. Absent: it does. */
  tools?: false;
  /** The vendors that serve the model, with their names of it. */
  at: Record<string, string>;
}

const ADDED = '2026-11-28';

const MODELS: OpenModel[] = [
  {
    id: 'mistralai/mistral-large-4',
    name: 'Mistral Large 4',
    description: "Mistral's largest model, which reads pictures and calls tools.",
    reads: ['image'],
    at: { mistral: 'mistral-large-4' },
  },
  {
    id: 'mistralai/mistral-medium-3.5',
    name: 'Mistral Medium 3.5',
    description: "Mistral's model of medium size, which reads pictures and calls tools.",
    reads: ['image'],
    at: { mistral: 'mistral-medium-3.5' },
  },
  {
    id: 'mistralai/mistral-small-2603',
    name: 'Mistral Small (March 2026)',
    description: "Mistral's small and cheap model.",
    reads: ['image'],
    at: { mistral: 'mistral-small-2603' },
  },
  {
    id: 'x-ai/grok-4.7',
    name: 'Grok 4.7',
    description: "xAI's newest model. Prompts above 200,000 tokens cost more.",
    reads: ['image'],
    at: { xai: 'grok-4.7' },
  },
  {
    id: 'x-ai/grok-4.6',
    name: 'Grok 4.6',
    description: 'A model of xAI. Prompts above 200,000 tokens cost more.',
    reads: ['image'],
    at: { xai: 'grok-4.6' },
  },
  {
    id: 'x-ai/grok-4.5',
    name: 'Grok 4.5',
    description: 'An earlier model of xAI, cheaper for repeated prompts.',
    reads: ['image'],
    at: { xai: 'grok-4.5' },
  },
  {
    id: 'moonshotai/kimi-k3.1-pro',
    name: 'Kimi K3.1 Pro',
    description: "Moonshot AI's newest model, with a context of a million tokens.",
    reads: ['image'],
    at: {
      moonshotai: 'kimi-k3.1-pro',
      together: 'moonshotai/Kimi-K3.1-Pro',
      fireworks: 'accounts/fireworks/models/kimi-k3p1-pro',
      nebius: 'moonshotai/Kimi-K3.1-Pro',
    },
  },
  {
    id: 'moonshotai/kimi-k3',
    name: 'Kimi K3',
    description: "Moonshot AI's model with a context of a million tokens.",
    reads: ['image'],
    at: {
      moonshotai: 'kimi-k3',
      together: 'moonshotai/Kimi-K3',
      fireworks: 'accounts/fireworks/models/kimi-k3',
      deepinfra: 'moonshotai/Kimi-K3',
      nebius: 'moonshotai/Kimi-K3',
      novita: 'moonshotai/kimi-k3',
    },
  },
  {
    id: 'moonshotai/kimi-k2.7-code',
    name: 'Kimi K2.7 Code',
    description: "Moonshot AI's model for writing code.",
    reads: ['image'],
    at: {
      moonshotai: 'kimi-k2.7-code',
      deepinfra: 'moonshotai/Kimi-K2.7-Code',
      nebius: 'moonshotai/Kimi-K2.7-Code',
      novita: 'moonshotai/kimi-k2.7-code',
      cloudflare: '@cf/moonshotai/kimi-k2.7-code',
    },
  },
  {
    id: 'deepseek/deepseek-v4.1-flash',
    name: 'DeepSeek V4.1 Flash (October 2026)',
    description: "DeepSeek's fast model, which reads pictures.",
    reads: ['image'],
    at: {
      together: 'deepseek-ai/DeepSeek-V4.1-Flash-1017',
      fireworks: 'accounts/fireworks/models/deepseek-v4p1-flash-1017',
      deepinfra: 'deepseek-ai/DeepSeek-V4.1-Flash-1017',
      nebius: 'deepseek-ai/DeepSeek-V4.1-Flash-1017',
      mistral: 'deepseek-v4-1-flash-1017',
      deepseek: 'deepseek-flash',
    },
  },
  {
    id: 'deepseek/deepseek-v4-pro',
    name: 'DeepSeek V4 Pro (August 2026)',
    description: "DeepSeek's largest model.",
    at: {
      together: 'deepseek-ai/DeepSeek-V4-Pro-0813',
      deepinfra: 'deepseek-ai/DeepSeek-V4-Pro-0813',
      nebius: 'deepseek-ai/DeepSeek-V4-Pro-0813',
      novita: 'deepseek/deepseek-v4-pro-0813',
      deepseek: 'deepseek-v4-pro',
    },
  },
  {
    id: 'z-ai/glm-5.3',
    name: 'GLM 5.3',
    description: "Z.ai's newest large model.",
    at: {
      'z-ai': 'glm-5.3',
      together: 'zai-org/GLM-5.3',
      fireworks: 'accounts/fireworks/models/glm-5p3',
      nebius: 'zai-org/GLM-5.3',
      novita: 'zai-org/glm-5.3',
    },
  },
  {
    id: 'z-ai/glm-5.3-flash',
    name: 'GLM 5.3 Flash',
    description: "Z.ai's fast model, which reads pictures.",
    reads: ['image'],
    at: {
      together: 'zai-org/GLM-5.3-Flash',
      fireworks: 'accounts/fireworks/models/glm-5p3-flash',
      nebius: 'zai-org/GLM-5.3-Flash',
    },
  },
  {
    id: 'z-ai/glm-5.2',
    name: 'GLM 5.2',
    description: 'An earlier large model of Z.ai.',
    at: {
      'z-ai': 'glm-5.2',
      together: 'zai-org/GLM-5.2',
      deepinfra: 'zai-org/GLM-5.2',
      nebius: 'zai-org/GLM-5.2',
      novita: 'zai-org/glm-5.2',
      cloudflare: '@cf/zai-org/glm-5.2',
      'google-vertex': 'zai-org/glm-5.2-maas',
    },
  },
  {
    id: 'minimax/minimax-m3',
    name: 'MiniMax M3',
    description: "MiniMax's large model. At MiniMax, prompts above 512,000 tokens cost more.",
    reads: ['image'],
    at: {
      minimax: 'MiniMax-M3',
      fireworks: 'accounts/fireworks/models/minimax-m3',
      deepinfra: 'MiniMaxAI/MiniMax-M3',
      nebius: 'MiniMaxAI/MiniMax-M3',
      novita: 'minimax/minimax-m3',
    },
  },
  {
    id: 'qwen/qwen3.8-max',
    name: 'Qwen3.8 Max',
    description: "Alibaba's largest model.",
    reads: ['image'],
    at: {
      alibaba: 'qwen3.8-max',
      fireworks: 'accounts/fireworks/models/qwen3p8-max',
      deepinfra: 'Qwen/Qwen3.8-Max',
      novita: 'qwen/qwen3.8-max',
    },
  },
  {
    id: 'qwen/qwen3.8-flash',
    name: 'Qwen3.8 Flash',
    description: "Alibaba's fast and cheap model.",
    reads: ['image'],
    at: { alibaba: 'qwen3.8-flash', together: 'Qwen/Qwen3.8-Flash' },
  },
  {
    id: 'qwen/qwen3.8-27b',
    name: 'Qwen3.8 27B',
    description: "Alibaba's open model with 27 billion parameters.",
    reads: ['image'],
    at: {
      groq: 'qwen/qwen3.8-27b',
      cerebras: 'qwen-3.8-27b',
      deepinfra: 'Qwen/Qwen3.8-27B',
      nebius: 'Qwen/Qwen3.8-27B',
    },
  },
  {
    id: 'openai/gpt-oss-120b',
    name: 'gpt-oss 120B',
    description: "OpenAI's open model with 120 billion parameters.",
    at: {
      groq: 'openai/gpt-oss-120b',
      cerebras: 'gpt-oss-120b',
      together: 'openai/gpt-oss-120b',
      deepinfra: 'openai/gpt-oss-120b',
      nebius: 'openai/gpt-oss-120b',
      novita: 'openai/gpt-oss-120b',
      sambanova: 'gpt-oss-120b',
      cloudflare: '@cf/openai/gpt-oss-120b',
      'bedrock-mantle': 'openai.gpt-oss-120b',
      'google-vertex': 'openai/gpt-oss-120b-maas',
    },
  },
  {
    id: 'openai/gpt-oss-20b',
    name: 'gpt-oss 20B',
    description: "OpenAI's open model with 20 billion parameters.",
    at: {
      groq: 'openai/gpt-oss-20b',
      fireworks: 'accounts/fireworks/models/gpt-oss-20b',
      deepinfra: 'openai/gpt-oss-20b',
      cloudflare: '@cf/openai/gpt-oss-20b',
    },
  },
  {
    id: 'google/gemma-4-31b-it',
    name: 'Gemma 4 31B',
    description: "Google's open model with 31 billion parameters.",
    reads: ['image'],
    at: {
      cerebras: 'gemma-4-31b',
      deepinfra: 'google/gemma-4-31B-it',
      novita: 'google/gemma-4-31b-it',
      sambanova: 'gemma-4-31B-it',
    },
  },
  {
    id: 'meta-llama/llama-3.3-70b-instruct',
    name: 'Llama 3.3 70B Instruct',
    description: "Meta's open model with 70 billion parameters.",
    thinks: false,
    at: {
      deepinfra: 'meta-llama/Llama-3.3-70B-Instruct',
      nebius: 'meta-llama/Llama-3.3-70B-Instruct',
      sambanova: 'Meta-Llama-3.3-70B-Instruct',
    },
  },
];

const PARAMETERS = ['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'stop', 'response_format'];
const TOOLS = ['tools', 'tool_choice'];
const THOUGHTS = ['reasoning', 'reasoning_effort'];

/** Returns the names under which a vendor serves models, with the parameters of each. */
export function endpointsAt(
  vendor: string,
): { modelId: string; upstreamModelId: string; supportedParameters: string[] }[] {
  return MODELS.flatMap(({ id, at, thinks = true, tools = true }) => {
    const upstreamModelId = at[vendor];
    const supportedParameters = [
      ...PARAMETERS,
      ...(tools ? TOOLS : []),
      ...(thinks ? THOUGHTS : []),
    ].toSorted();
    return upstreamModelId === undefined ? [] : [{ modelId: id, upstreamModelId, supportedParameters }];
  });
}

/** Returns the models whose first vendor this is, so that each model is in the catalog once. */
export function modelsFirstAt(vendor: string): VendorModel[] {
  return MODELS.filter(({ at }) => Object.keys(at)[0] === vendor).map(
    ({ id, name, description, reads = [], thinks = true }) => ({
      id,
      canonicalSlug: id,
      name,
      description,
      inputModalities: ['text', ...reads],
      outputModalities: ['text'],
      createdAt: ADDED,
      ...(thinks && { reasoning: { mandatory: false } }),
    }),
  );
}
