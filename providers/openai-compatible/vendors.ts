/**
 * Lists the vendors that speak OpenAI's wire well enough to need no adapter of their own. Addresses and deviations are
 * those of LiteLLM 1.110.2 (`litellm/llms/<vendor>/chat`) and of Vercel's AI SDK (snapshot of 2026-08-22), read as
 * descriptions of the wires on 2026-11-28. Nothing was called.
 */
import type { Deviation } from '../../domain/catalog/deviations.ts';

/** A vendor, and how its wire differs from OpenAI's. */
export interface CompatibleVendor {
  slug: string;
  name: string;
  /** Absent: the address names the customer's account or region, so the operator sets it. */
  baseUrl?: string;
  deviations?: readonly Deviation[];
  /** True: the vendor supports `cache_control`. */
  cacheControl?: true;
  /** True: a program for the operator's own machines. It needs an address, and no key unless one is set there. */
  ownServer?: true;
  /** True: the vendor does not fetch URLs of pictures, so the gateway fetches them and sends the content. */
  inlineMedia?: true;
}

/** All vendors. A new one is a line here, and its models in `dev/catalog/vendors/compatible-models.ts`. */
export const COMPATIBLE_VENDORS: readonly CompatibleVendor[] = [
  {
    slug: 'mistral',
    name: 'Mistral AI',
    baseUrl: 'https://api.mistral.ai/v1',
    // Its API refuses every field that it does not know, those of messages too, and counts tokens without being asked.
    deviations: ['max_tokens', 'random_seed', 'no_names', 'no_thoughts', 'no_stream_options'],
  },
  {
    slug: 'groq',
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    deviations: ['reasoning_name', 'text_content'],
  },
  {
    slug: 'deepseek',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    deviations: ['max_tokens', 'thinking_switch', 'text_content'],
  },
  {
    slug: 'xai',
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    deviations: ['max_tokens', 'no_names', 'no_thoughts'],
  },
  {
    slug: 'together',
    name: 'Together AI',
    baseUrl: 'https://api.together.ai/v1',
    deviations: ['max_tokens'],
  },
  {
    slug: 'fireworks',
    name: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    deviations: ['max_tokens'],
  },
  {
    slug: 'cerebras',
    name: 'Cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    deviations: ['reasoning_name', 'text_content'],
  },
  {
    slug: 'perplexity',
    name: 'Perplexity',
    baseUrl: 'https://api.perplexity.ai',
    deviations: ['no_names', 'no_thoughts'],
  },
  {
    slug: 'deepinfra',
    name: 'DeepInfra',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    deviations: ['max_tokens', 'text_content'],
  },
  {
    slug: 'moonshotai',
    name: 'Moonshot AI',
    baseUrl: 'https://api.moonshot.ai/v1',
    deviations: ['max_tokens', 'text_content'],
    inlineMedia: true,
  },
  {
    slug: 'alibaba',
    name: 'Alibaba Cloud Model Studio',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    cacheControl: true,
  },
  { slug: 'minimax', name: 'MiniMax', baseUrl: 'https://api.minimax.io/v1', cacheControl: true },
  {
    slug: 'z-ai',
    name: 'Z.ai',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    deviations: ['max_tokens', 'thinking_switch'],
    cacheControl: true,
  },
  {
    slug: 'nebius',
    name: 'Nebius',
    baseUrl: 'https://api.studio.nebius.ai/v1',
    deviations: ['max_tokens'],
  },
  { slug: 'novita', name: 'Novita AI', baseUrl: 'https://api.novita.ai/v3/openai' },
  {
    slug: 'sambanova',
    name: 'SambaNova',
    baseUrl: 'https://api.sambanova.ai/v1',
    deviations: ['max_tokens', 'text_content', 'no_thoughts'],
  },
  {
    slug: 'nvidia',
    name: 'NVIDIA NIM',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    deviations: ['max_tokens'],
  },
  { slug: 'huggingface', name: 'Hugging Face', baseUrl: 'https://router.huggingface.co/v1' },
  { slug: 'github-models', name: 'GitHub Models', baseUrl: 'https://models.github.ai/inference' },
  { slug: 'cloudflare', name: 'Cloudflare Workers AI' },
  { slug: 'bedrock-mantle', name: 'Amazon Bedrock (OpenAI-compatible)' },
  {
    slug: 'openrouter',
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    deviations: ['developer_role', 'reasoning_object'],
    cacheControl: true,
  },
  // Programs in the operator's network get no customer's URL to fetch, whether they could fetch it or not.
  {
    slug: 'ollama',
    name: 'Ollama',
    deviations: ['max_tokens'],
    ownServer: true,
    inlineMedia: true,
  },
  {
    slug: 'lm-studio',
    name: 'LM Studio',
    deviations: ['max_tokens'],
    ownServer: true,
    inlineMedia: true,
  },
  { slug: 'vllm', name: 'vLLM', ownServer: true, inlineMedia: true },
  {
    slug: 'llama-cpp',
    name: 'llama.cpp',
    deviations: ['max_tokens'],
    ownServer: true,
    inlineMedia: true,
  },
];

const BY_SLUG = new Map(COMPATIBLE_VENDORS.map((vendor) => [vendor.slug, vendor]));

/** Returns what is known of the provider with this slug; undefined for an operator's own. */
export function compatibleVendor(slug: string): CompatibleVendor | undefined {
  return BY_SLUG.get(slug);
}
