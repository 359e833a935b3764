/** Maps kinds of generations to the operation names of OpenTelemetry. */
import type { ApiType } from '../ledger/generation.ts';
import type { BroadcastSpan } from './span.ts';

type Operation = Pick<BroadcastSpan, 'operation' | 'outputType'>;

/**
 * The operation of each kind of generation. The conventions have none for image, speech and video, so the output type
 * distinguishes them.
 */
const OPERATIONS: Record<ApiType, Operation> = {
  completions: { operation: 'chat' },
  embeddings: { operation: 'embeddings' },
  rerank: { operation: 'retrieval' },
  image: { operation: 'generate_content', outputType: 'image' },
  tts: { operation: 'generate_content', outputType: 'speech' },
  video: { operation: 'generate_content', outputType: 'video' },
};

/** Returns the operation and output type that the conventions give to a kind of generation. */
export function operationOf(apiType: ApiType): Operation {
  return OPERATIONS[apiType];
}
