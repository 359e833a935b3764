import type { LiveCallContext } from './call-context.ts';
import type { OpenAiUsage, TextRequest } from './chat-adapter.ts';

export type EmbeddingList = {
  data: { object?: string; embedding: number[] | string; index?: number }[];
  usage?: OpenAiUsage | null;
  [field: string]: unknown;
};

export interface EmbeddingsAdapter {
  embed(request: TextRequest, context: LiveCallContext): Promise<EmbeddingList>;
}
