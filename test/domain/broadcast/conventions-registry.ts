/** The types of attributes that spans for generative AI have. */
type AttributeType = 'string' | 'int' | 'double' | 'boolean' | 'string[]' | 'any';

/**
 * The attributes of spans of calls of models, copied from the tables of
 * https://github.com/open-telemetry/semantic-conventions-genai: `docs/gen-ai/client-inference.md` at revision
 * ac48b1f9df15fdf281b96cccf15eb707e1fc1868, `docs/gen-ai/client-embeddings.md` at
 * 88eccb155ca7d6984826da1f4b1c08ee916e0f49 and, for retrieval, the entries of `model/gen-ai/registry.yaml`. Whoever
 * changes the revision copies the tables again.
 */
export const REGISTRY_REVISION = 'ac48b1f9df15fdf281b96cccf15eb707e1fc1868';

export const REGISTRY: ReadonlyMap<string, AttributeType> = new Map<string, AttributeType>([
  ['gen_ai.operation.name', 'string'],
  ['gen_ai.provider.name', 'string'],
  ['gen_ai.conversation.id', 'string'],
  ['gen_ai.conversation.compacted', 'boolean'],
  ['gen_ai.output.type', 'string'],
  ['gen_ai.prompt.name', 'string'],
  ['gen_ai.prompt.version', 'string'],
  ['gen_ai.request.choice.count', 'int'],
  ['gen_ai.request.encoding_formats', 'string[]'],
  ['gen_ai.request.frequency_penalty', 'double'],
  ['gen_ai.request.max_tokens', 'int'],
  ['gen_ai.request.model', 'string'],
  ['gen_ai.request.presence_penalty', 'double'],
  ['gen_ai.request.previous_response.id', 'string'],
  ['gen_ai.request.reasoning.level', 'string'],
  ['gen_ai.request.seed', 'int'],
  ['gen_ai.request.stop_sequences', 'string[]'],
  ['gen_ai.request.stream', 'boolean'],
  ['gen_ai.request.temperature', 'double'],
  ['gen_ai.request.top_k', 'int'],
  ['gen_ai.request.top_p', 'double'],
  ['gen_ai.response.finish_reasons', 'string[]'],
  ['gen_ai.response.id', 'string'],
  ['gen_ai.response.model', 'string'],
  ['gen_ai.response.time_to_first_chunk', 'double'],
  ['gen_ai.usage.audio.cache_read.input_tokens', 'int'],
  ['gen_ai.usage.audio.input_tokens', 'int'],
  ['gen_ai.usage.audio.output_tokens', 'int'],
  ['gen_ai.usage.cache_read.input_tokens', 'int'],
  ['gen_ai.usage.cache_write.input_tokens', 'int'],
  ['gen_ai.usage.image.cache_read.input_tokens', 'int'],
  ['gen_ai.usage.image.input_tokens', 'int'],
  ['gen_ai.usage.image.output_tokens', 'int'],
  ['gen_ai.usage.input_tokens', 'int'],
  ['gen_ai.usage.output_tokens', 'int'],
  ['gen_ai.usage.reasoning.output_tokens', 'int'],
  ['gen_ai.usage.text.cache_read.input_tokens', 'int'],
  ['gen_ai.usage.text.input_tokens', 'int'],
  ['gen_ai.usage.text.output_tokens', 'int'],
  ['gen_ai.input.messages', 'any'],
  ['gen_ai.output.messages', 'any'],
  ['gen_ai.system_instructions', 'any'],
  ['gen_ai.tool.definitions', 'any'],
  ['gen_ai.embeddings.dimension.count', 'int'],
  ['gen_ai.retrieval.query.text', 'string'],
  ['gen_ai.retrieval.documents', 'any'],
  ['gen_ai.retrieval.top_k', 'int'],
]);

/** The operations for which the conventions have a name. */
export const REGISTERED_OPERATIONS = [
  'chat',
  'generate_content',
  'text_completion',
  'embeddings',
  'retrieval',
];

/** The providers for which the conventions have a name. */
export const REGISTERED_PROVIDERS = [
  'anthropic',
  'aws.bedrock',
  'azure.ai.inference',
  'azure.ai.openai',
  'cohere',
  'deepseek',
  'gcp.gemini',
  'gcp.gen_ai',
  'gcp.vertex_ai',
  'groq',
  'ibm.watsonx.ai',
  'mistral_ai',
  'moonshot_ai',
  'openai',
  'perplexity',
  'x_ai',
];
