import type { ContentCategory } from './content-class.ts';

/** How hard a model may be told to reason, from most to least. */
export const REASONING_EFFORTS = ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

export interface ModelReasoning {
  /** It cannot be switched off. */
  mandatory: boolean;
  defaultEnabled?: boolean;
  defaultEffort?: ReasoningEffort | null;
  supportedEfforts?: ReasoningEffort[] | null;
  /** It takes a limit in tokens instead of an effort. */
  supportsMaxTokens?: boolean;
}

/** What the model takes where a request says nothing; absent where nobody knows. */
export interface DefaultParameters {
  temperature?: number | null;
  topP?: number | null;
  topK?: number | null;
  frequencyPenalty?: number | null;
  presencePenalty?: number | null;
  repetitionPenalty?: number | null;
}

/** What others measured. Nothing here is measured by the gateway. */
export interface ModelBenchmarks {
  intelligenceIndex: number | null;
  codingIndex: number | null;
  agenticIndex: number | null;
  /** Of requests with tools, the share that ended in a call of one, 0 to 1. */
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

/** A model as the catalog describes it, whoever serves it. What nobody stated is null or empty. */
export interface CatalogModel {
  /** `author/name`, or `author/name:variant` for a model of its own. */
  id: string;
  /** The name in the ledger and in rankings. Never changes: a newer release is a model of its own. */
  canonicalSlug: string;
  name: string;
  description: string | null;
  huggingFaceId: string | null;
  inputModalities: string[];
  outputModalities: string[];
  contextLength: number | null;
  /** The family whose tokenizer it has, such as `GPT`. */
  tokenizer: string | null;
  /** The format of its instructions, such as `chatml`. */
  instructType: string | null;
  /** `YYYY-MM-DD`, as the next. */
  knowledgeCutoff: string | null;
  /** After this day it may be gone. */
  expirationDate: string | null;
  /** Further names by which it is found. */
  aliases: string[];
  /** What it is used for. */
  categories: ContentCategory[];
  defaultParameters: DefaultParameters | null;
  reasoning: ModelReasoning | null;
  benchmarks: ModelBenchmarks | null;
  createdAt: Date;
}

/** What a provider says of itself; null where nobody looked it up. */
export interface ProviderFacts {
  privacyPolicyUrl: string | null;
  termsOfServiceUrl: string | null;
  statusPageUrl: string | null;
  /** ISO 3166-1 alpha-2, as the next. */
  headquarters: string | null;
  datacenters: string[] | null;
}

/** Of a model whose tokenizer nobody stated. */
const OTHER_FAMILY = 'Other';

/** The family that lists of models show and are asked by. */
export function familyOf({ tokenizer }: Pick<CatalogModel, 'tokenizer'>): string {
  return tokenizer ?? OTHER_FAMILY;
}
