import type { Issue } from '../domain/errors.ts';
import type { LiveCallContext } from './call-context.ts';
import type { OpenAiUsage, TextRequest } from './chat-adapter.ts';

export type EmbeddingList = {
  data: { object?: string; embedding: number[] | string; index?: number }[];
  usage?: OpenAiUsage | null;
  [field: string]: unknown;
};

export interface EmbeddingsAdapter {
  /** What the wire cannot carry of a request's `input`, named as in `body.input.0`. Absent: all of it can be told. */
  issuesOf?(input: unknown): Issue[];
  embed(request: TextRequest, context: LiveCallContext): Promise<EmbeddingList>;
}
