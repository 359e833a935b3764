/** Defines the interface of adapters for embeddings. */
import type { Issue } from '../domain/errors.ts';
import type { LiveCallContext } from './call-context.ts';
import type { OpenAiUsage, TextRequest } from './chat-adapter.ts';

export type EmbeddingList = {
  data: { object?: string; embedding: number[] | string; index?: number }[];
  usage?: OpenAiUsage | null | undefined;
  [field: string]: unknown;
};

export interface EmbeddingsAdapter {
  /**
   * Returns the parts of `input` that the wire cannot carry, named as in `body.input.0`. Absent: it carries all of it.
   */
  issuesOf?(input: unknown): Issue[];
  embed(request: TextRequest, context: LiveCallContext): Promise<EmbeddingList>;
}
