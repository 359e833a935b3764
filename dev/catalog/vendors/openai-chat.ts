/**
 * Lists OpenAI's models of chat. Facts are those of the models' own pages (developers.openai.com/api/docs/models/…), as
 * excerpts and transcriptions that were found on 2026-11-28 quote them. A snapshot that Azure or an answer names is the
 * canonical slug.
 */
import type { ReasoningEffort } from '../../../domain/catalog/model-facts.ts';
import type { VendorEndpoint, VendorModel } from '../vendor.ts';

const PARAMETERS = [
  'max_completion_tokens',
  'max_tokens',
  'parallel_tool_calls',
  'reasoning',
  'reasoning_effort',
  'response_format',
  'seed',
  'service_tier',
  'structured_outputs',
  'tool_choice',
  'tools',
  'verbosity',
];

const UP_TO_HIGH: ReasoningEffort[] = ['high', 'medium', 'low'];
const UP_TO_XHIGH: ReasoningEffort[] = ['xhigh', ...UP_TO_HIGH];
const UP_TO_MAX: ReasoningEffort[] = ['max', ...UP_TO_XHIGH];

interface Gpt {
  id: string;
  name: string;
  released: string;
  description: string;
  efforts: ReasoningEffort[];
  defaultEffort?: ReasoningEffort;
  cutoff?: string;
  contextLength?: number;
  aliases?: string[];
}

/**
 * The families whose models take tools in a chat only without reasoning. The vendor refuses them together since
 * GPT-5.4 (github.com/openai/openai-openapi/issues/541; for GPT-6 github.com/onyx-dot-app/onyx/issues/15008; all read
 * 2026-11-28). GPT-5.5 is left out: it refuses tools with an effort too, but no report says whether it takes them
 * without one.
 */
const WITHOUT_REASONED_TOOLS = /^gpt-(5\.[46]|6)/;

const GPTS: Gpt[] = [
  {
    id: 'gpt-6.1-sol',
    name: 'GPT-6.1 Sol',
    released: '2026-09-29',
    description: 'For complex coding and professional work, near the best at a lower price.',
    efforts: UP_TO_MAX,
    defaultEffort: 'medium',
    contextLength: 1_050_000,
    // The short name stands for Sol, as in the family before.
    aliases: ['openai/gpt-6.1'],
  },
  {
    id: 'gpt-6.1-terra',
    name: 'GPT-6.1 Terra',
    released: '2026-10-26',
    description: 'Fast and efficient, for visual reasoning, use of computers and clear writing.',
    efforts: [...UP_TO_MAX, 'none'],
    defaultEffort: 'medium',
    cutoff: '2026-06-01',
    contextLength: 1_050_000,
  },
  {
    id: 'gpt-6-astra',
    name: 'GPT-6 Astra',
    released: '2026-09-03',
    description: "OpenAI's most capable model, for the hardest work.",
    efforts: UP_TO_MAX,
  },
  {
    id: 'gpt-6-sol',
    name: 'GPT-6 Sol',
    released: '2026-09-22',
    description: 'The earlier Sol, for coding and professional work.',
    efforts: [...UP_TO_MAX, 'none'],
  },
  {
    id: 'gpt-6-luna',
    name: 'GPT-6 Luna',
    released: '2026-09-22',
    description: 'Cheap and fast, for large volumes of well-defined tasks.',
    efforts: [...UP_TO_MAX, 'none'],
  },
  {
    id: 'gpt-5.6-sol',
    name: 'GPT-5.6 Sol',
    released: '2026-07-09',
    description: 'The strongest GPT-5.6, for hard reasoning and coding.',
    efforts: [...UP_TO_MAX, 'none'],
    cutoff: '2026-02-16',
    aliases: ['openai/gpt-5.6'],
  },
  {
    id: 'gpt-5.6-terra',
    name: 'GPT-5.6 Terra',
    released: '2026-07-09',
    description: 'The balanced GPT-5.6, for everyday work.',
    efforts: [...UP_TO_MAX, 'none'],
  },
  {
    id: 'gpt-5.6-luna',
    name: 'GPT-5.6 Luna',
    released: '2026-07-09',
    description: 'The fast and cheap GPT-5.6.',
    efforts: [...UP_TO_MAX, 'none'],
  },
  {
    id: 'gpt-5.5',
    name: 'GPT-5.5',
    released: '2026-04-23',
    description: 'For coding, research and knowledge work.',
    efforts: [...UP_TO_XHIGH, 'none'],
    contextLength: 1_050_000,
  },
  {
    id: 'gpt-5.4',
    name: 'GPT-5.4',
    released: '2026-03-05',
    description: 'For professional work, with a long context.',
    efforts: [...UP_TO_XHIGH, 'none'],
    defaultEffort: 'none',
  },
  {
    id: 'gpt-5.4-mini',
    name: 'GPT-5.4 Mini',
    released: '2026-03-17',
    description: 'A faster and cheaper GPT-5.4.',
    efforts: [...UP_TO_XHIGH, 'none'],
    defaultEffort: 'none',
  },
  {
    id: 'gpt-5.4-nano',
    name: 'GPT-5.4 Nano',
    released: '2026-03-17',
    description: 'The cheapest GPT-5.4, for simple tasks in large volumes.',
    efforts: [...UP_TO_XHIGH, 'none'],
    defaultEffort: 'none',
  },
  {
    id: 'gpt-5.1',
    name: 'GPT-5.1',
    released: '2025-11-13',
    description: 'For coding and agents, with a choice of how much it reasons.',
    efforts: [...UP_TO_HIGH, 'none'],
    defaultEffort: 'none',
    cutoff: '2024-09-30',
  },
  {
    id: 'gpt-5-mini',
    name: 'GPT-5 Mini',
    released: '2025-08-07',
    description: 'A faster and cheaper GPT-5 for well-defined tasks.',
    efforts: [...UP_TO_HIGH, 'minimal'],
    defaultEffort: 'medium',
    cutoff: '2024-05-31',
  },
];

export const CHAT_MODELS: VendorModel[] = GPTS.map((gpt) => ({
  id: `openai/${gpt.id}`,
  canonicalSlug: `openai/${gpt.id}-${gpt.released}`,
  name: `OpenAI: ${gpt.name}`,
  description: gpt.description,
  inputModalities: ['text', 'image'],
  outputModalities: ['text'],
  ...(gpt.contextLength && { contextLength: gpt.contextLength }),
  tokenizer: 'GPT',
  ...(gpt.cutoff && { knowledgeCutoff: gpt.cutoff }),
  ...(gpt.aliases && { aliases: gpt.aliases }),
  reasoning: {
    mandatory: !gpt.efforts.includes('none'),
    ...(gpt.defaultEffort && { defaultEffort: gpt.defaultEffort }),
    supportedEfforts: gpt.efforts,
  },
  createdAt: gpt.released,
}));

export const CHAT_ENDPOINTS: VendorEndpoint[] = GPTS.map(({ id, contextLength }) => ({
  modelId: `openai/${id}`,
  capability: 'chat',
  upstreamModelId: id,
  cachesImplicitly: true,
  ...(contextLength && { contextLength }),
  supportedParameters: PARAMETERS,
  ...(WITHOUT_REASONED_TOOLS.test(id) && { deviations: ['no_reasoned_tools' as const] }),
}));
