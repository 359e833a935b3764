import type { ApiType } from '../ledger/generation.ts';
import type { BroadcastSpan } from './span.ts';

type Operation = Pick<BroadcastSpan, 'operation' | 'outputType'>;

/** The conventions have no operation for image, speech and video: there the type of the output tells them apart. */
const OPERATIONS: Record<ApiType, Operation> = {
  completions: { operation: 'chat' },
  embeddings: { operation: 'embeddings' },
  rerank: { operation: 'retrieval' },
  image: { operation: 'generate_content', outputType: 'image' },
  tts: { operation: 'generate_content', outputType: 'speech' },
  video: { operation: 'generate_content', outputType: 'video' },
};

/** Returns the conventions' words for a kind of generation. */
export function operationOf(apiType: ApiType): Operation {
  return OPERATIONS[apiType];
}
