/** Defines the published facts about models and providers, such as reasoning, defaults and benchmarks. */
import type { ContentCategory } from './content-class.ts';

/** Reasoning efforts, from most to least. */
export const REASONING_EFFORTS = ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

export interface ModelReasoning {
  /** True: reasoning cannot be switched off. */
  mandatory: boolean;
  defaultEnabled?: boolean;
  defaultEffort?: ReasoningEffort | null;
  supportedEfforts?: ReasoningEffort[] | null;
  /** True: the model takes a limit in tokens instead of an effort. */
  supportsMaxTokens?: boolean;
}

/** The values that the model uses if a request sets none; absent if unknown. */
export interface DefaultParameters {
  temperature?: number | null;
  topP?: number | null;
  topK?: number | null;
  frequencyPenalty?: number | null;
  presencePenalty?: number | null;
  repetitionPenalty?: number | null;
}

/** Published benchmarks. The gateway measures none of them. */
export interface ModelBenchmarks {
  intelligenceIndex: number | null;
  codingIndex: number | null;
  agenticIndex: number | null;
  /** The share of requests with tools that ended in a tool call, 0 to 1. */
  toolSuccessRate: number | null;
  designArena: DesignArenaEntry[];
}

export interface DesignArenaEntry {
  arena: string;
  category: string;
  elo: number;
  /** 1 is the best. */
  rank: number;
  /** Percent. */
  winRate: number;
}

/** A model as the catalog describes it, independent of its endpoints. Unknown facts are null or empty. */
export interface CatalogModel {
  /** `author/name`, or `author/name:variant` for a separate variant. */
  id: string;
  /** The name in the ledger and in rankings. It never changes: a newer release is a separate model. */
  canonicalSlug: string;
  name: string;
  description: string | null;
  huggingFaceId: string | null;
  inputModalities: string[];
  outputModalities: string[];
  contextLength: number | null;
  /** The model family of its tokenizer, such as `GPT`. */
  tokenizer: string | null;
  /** The format of its instructions, such as `chatml`. */
  instructType: string | null;
  /** `YYYY-MM-DD`. */
  knowledgeCutoff: string | null;
  /** `YYYY-MM-DD`. The model may be removed after this day. */
  expirationDate: string | null;
  /** Further names that resolve to the model. */
  aliases: string[];
  /** The categories that the model is used for. */
  categories: ContentCategory[];
  defaultParameters: DefaultParameters | null;
  reasoning: ModelReasoning | null;
  benchmarks: ModelBenchmarks | null;
  createdAt: Date;
}

/** Facts that a provider publishes; null if unknown. */
export interface ProviderFacts {
  privacyPolicyUrl: string | null;
  termsOfServiceUrl: string | null;
  statusPageUrl: string | null;
  /** ISO 3166-1 alpha-2. */
  headquarters: string | null;
  datacenters: string[] | null;
}

/** The family of models whose tokenizer is unknown. */
const OTHER_FAMILY = 'Other';

/** Returns the family that lists of models show and filter by. */
export function familyOf({ tokenizer }: Pick<CatalogModel, 'tokenizer'>): string {
  return tokenizer ?? OTHER_FAMILY;
}
