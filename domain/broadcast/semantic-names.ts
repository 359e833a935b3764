/**
 * Every attribute name of OpenTelemetry that Sluice sends.
 *
 * The names for generative AI follow https://github.com/open-telemetry/semantic-conventions-genai, whose releases are
 * not numbered yet. All of them have the stability "development": a change of names is a change of this module, of its
 * revision and of the registry that the tests keep.
 */
export const CONVENTIONS_REVISION = 'ac48b1f9df15fdf281b96cccf15eb707e1fc1868';

/** The schema that the conventions' `model/manifest.yaml` names. */
export const CONVENTIONS_SCHEMA_URL = 'https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev';

export const GEN_AI = {
  operationName: 'gen_ai.operation.name',
  providerName: 'gen_ai.provider.name',
  conversationId: 'gen_ai.conversation.id',
  outputType: 'gen_ai.output.type',
  requestModel: 'gen_ai.request.model',
  choiceCount: 'gen_ai.request.choice.count',
  seed: 'gen_ai.request.seed',
  stream: 'gen_ai.request.stream',
  topK: 'gen_ai.request.top_k',
  topP: 'gen_ai.request.top_p',
  temperature: 'gen_ai.request.temperature',
  maxTokens: 'gen_ai.request.max_tokens',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  presencePenalty: 'gen_ai.request.presence_penalty',
  stopSequences: 'gen_ai.request.stop_sequences',
  reasoningLevel: 'gen_ai.request.reasoning.level',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  audioInputTokens: 'gen_ai.usage.audio.input_tokens',
  audioOutputTokens: 'gen_ai.usage.audio.output_tokens',
  imageInputTokens: 'gen_ai.usage.image.input_tokens',
  imageOutputTokens: 'gen_ai.usage.image.output_tokens',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  systemInstructions: 'gen_ai.system_instructions',
  toolDefinitions: 'gen_ai.tool.definitions',
  retrievalQuery: 'gen_ai.retrieval.query.text',
  retrievalDocuments: 'gen_ai.retrieval.documents',
} as const;

/** Names outside generative AI, from the general conventions 1.44.0. */
export const GENERAL = {
  errorType: 'error.type',
  exceptionType: 'exception.type',
  exceptionMessage: 'exception.message',
  httpStatus: 'http.response.status_code',
  sessionId: 'session.id',
  userId: 'user.id',
  userAgent: 'user_agent.original',
  environment: 'deployment.environment.name',
} as const;

/** Names that are only proposed, or that the conventions dropped, and that tools still read. */
export const UNOFFICIAL = {
  cost: 'gen_ai.usage.cost',
  system: 'gen_ai.system',
  totalTokens: 'gen_ai.usage.total_tokens',
  promptTokens: 'gen_ai.usage.prompt_tokens',
  completionTokens: 'gen_ai.usage.completion_tokens',
  finishReason: 'gen_ai.response.finish_reason',
  reasoningTokenDetails: 'gen_ai.usage.details.reasoning_tokens',
} as const;

/** Sluice's own names. */
export const SLUICE = {
  generationId: 'sluice.generation.id',
  /** The caller's own `trace_id`, if the span's trace id is its hash. */
  traceIdText: 'sluice.trace.id',
  traceName: 'sluice.trace.name',
  release: 'sluice.release',
  attempts: 'sluice.attempts',
  attemptNumber: 'sluice.attempt.number',
  attemptLatency: 'sluice.attempt.latency_ms',
  contentDropped: 'sluice.content_dropped',
  contentTruncated: 'sluice.content_truncated',
  cost: 'sluice.cost.total',
  upstreamCost: 'sluice.cost.upstream',
  isByok: 'sluice.cost.is_byok',
  creatorId: 'sluice.user.id',
  apiKeyName: 'sluice.api_key.name',
  apiKeyHash: 'sluice.api_key.hash',
  organizationId: 'sluice.organization.id',
  workspaceId: 'sluice.workspace.id',
  referer: 'sluice.request.referer',
  title: 'sluice.request.title',
  country: 'sluice.request.country',
} as const;

/** The attribute names of the cost of each kind of token. */
export const SLUICE_COST_OF_KIND = {
  prompt: 'sluice.cost.prompt',
  completion: 'sluice.cost.completion',
  cacheRead: 'sluice.cost.cache_read',
  cacheWrite: 'sluice.cost.cache_write',
  reasoning: 'sluice.cost.reasoning',
  request: 'sluice.cost.request',
  media: 'sluice.cost.media',
} as const;

/** The prefix of the caller's own keys of `trace`. */
export const METADATA_PREFIX = 'trace.metadata.';
