/**
 * Lists Anthropic's models. Facts are those of the models' own pages (platform.claude.com/docs/en/models/…/overview and
 * …/migration-guide), as copies, excerpts and transcriptions that were found on 2026-11-28 quote them. Opus 4.5 and
 * Haiku 4.5 take budgets for thoughts, all others efforts. A cutoff given as a month is its last day.
 */
import type { ModelReasoning } from '../../../domain/catalog/model-facts.ts';
import type { Vendor, VendorEndpoint, VendorModel } from '../vendor.ts';

const PARAMETERS = [
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'response_format',
  'structured_outputs',
  'service_tier',
];
/** Newer models refuse these. */
const SAMPLING = ['temperature', 'top_p', 'top_k'];

const EFFORTS: ModelReasoning['supportedEfforts'] = ['max', 'xhigh', 'high', 'medium', 'low'];
const FEWER_EFFORTS: ModelReasoning['supportedEfforts'] = ['max', 'high', 'medium', 'low'];
const BUDGETS: ModelReasoning = { mandatory: false, defaultEnabled: false, supportsMaxTokens: true };

interface Claude {
  name: string;
  released: string;
  description: string;
  reasoning: ModelReasoning;
  cutoff?: string;
  canonicalSlug?: string;
  upstream?: string;
  sampling?: boolean;
}

const thinks = (
  when: 'always' | 'by default' | 'if asked',
  defaultEffort: 'high' | 'medium',
  supportedEfforts = EFFORTS,
): ModelReasoning => ({
  mandatory: when === 'always',
  defaultEnabled: when !== 'if asked',
  defaultEffort,
  supportedEfforts,
});

const CLAUDES: Claude[] = [
  {
    name: 'Fable 5.1',
    released: '2026-09-01',
    description: 'For demanding reasoning and long-horizon agentic work.',
    reasoning: thinks('always', 'high'),
    cutoff: '2026-06-30',
  },
  {
    name: 'Fable 5',
    released: '2026-06-09',
    description: 'The earlier model for demanding reasoning and long-horizon agentic work.',
    reasoning: thinks('always', 'high'),
    cutoff: '2026-01-31',
  },
  {
    name: 'Opus 5.5',
    released: '2026-09-22',
    description: 'For long-running agentic coding and knowledge work.',
    reasoning: thinks('always', 'medium'),
    cutoff: '2026-06-30',
  },
  {
    name: 'Opus 5',
    released: '2026-07-24',
    description: 'For complex agentic coding and enterprise work.',
    reasoning: thinks('by default', 'high'),
    cutoff: '2026-05-31',
  },
  {
    name: 'Opus 4.8',
    released: '2026-05-28',
    description: 'An earlier Opus, for complex agentic coding and enterprise work.',
    reasoning: thinks('if asked', 'high'),
  },
  {
    name: 'Opus 4.7',
    released: '2026-04-16',
    description: 'An earlier Opus, for complex reasoning and agentic coding.',
    reasoning: thinks('if asked', 'high'),
  },
  {
    name: 'Opus 4.6',
    released: '2026-02-05',
    description: 'An earlier Opus that still takes sampling parameters.',
    reasoning: thinks('if asked', 'high', FEWER_EFFORTS),
    sampling: true,
  },
  {
    name: 'Opus 4.5',
    released: '2025-11-24',
    description: 'An earlier Opus, with budgets for its thoughts.',
    reasoning: BUDGETS,
    canonicalSlug: 'anthropic/claude-opus-4.5-20251101',
    upstream: 'claude-opus-4-5-20251101',
    sampling: true,
  },
  {
    name: 'Sonnet 5.5',
    released: '2026-09-28',
    description: 'Speed and intelligence in balance.',
    reasoning: thinks('always', 'high'),
    cutoff: '2026-06-30',
  },
  {
    name: 'Sonnet 5',
    released: '2026-06-30',
    description: 'The earlier balance of speed and intelligence.',
    reasoning: thinks('by default', 'high'),
    cutoff: '2026-01-31',
  },
  {
    name: 'Sonnet 4.6',
    released: '2026-02-17',
    description: 'An earlier Sonnet that still takes sampling parameters.',
    reasoning: thinks('if asked', 'high', FEWER_EFFORTS),
    sampling: true,
  },
  {
    name: 'Haiku 5.5',
    released: '2026-10-07',
    description: 'For many small tasks that must be fast, such as sorting and extracting.',
    reasoning: thinks('by default', 'medium'),
    cutoff: '2026-06-30',
  },
  {
    name: 'Haiku 4.5',
    released: '2025-10-15',
    description: 'Fast, for many small tasks.',
    reasoning: BUDGETS,
    cutoff: '2025-02-28',
    canonicalSlug: 'anthropic/claude-haiku-4.5-20251001',
    upstream: 'claude-haiku-4-5-20251001',
    sampling: true,
  },
];

const idOf = ({ name }: Claude): string => `anthropic/claude-${name.toLowerCase().replace(' ', '-')}`;

const toModel = (claude: Claude): VendorModel => ({
  id: idOf(claude),
  canonicalSlug: claude.canonicalSlug ?? idOf(claude),
  name: `Anthropic: Claude ${claude.name}`,
  description: claude.description,
  inputModalities: ['text', 'image', 'file'],
  outputModalities: ['text'],
  tokenizer: 'Claude',
  ...(claude.cutoff && { knowledgeCutoff: claude.cutoff }),
  reasoning: claude.reasoning,
  createdAt: claude.released,
});

const toEndpoint = (claude: Claude): VendorEndpoint => ({
  modelId: idOf(claude),
  capability: 'chat',
  upstreamModelId: claude.upstream ?? idOf(claude).slice('anthropic/'.length).replace('.', '-'),
  supportedParameters: [...PARAMETERS, ...(claude.sampling ? SAMPLING : [])],
  collectsData: true,
});

export const ANTHROPIC: Vendor = {
  name: 'anthropic',
  provider: {
    slug: 'anthropic',
    name: 'Anthropic',
    adapter: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    privacyPolicyUrl: 'https://www.anthropic.com/legal/privacy',
    termsOfServiceUrl: 'https://www.anthropic.com/legal/commercial-terms',
    statusPageUrl: 'https://status.claude.com/',
    headquarters: 'US',
  },
  models: CLAUDES.map(toModel),
  endpoints: CLAUDES.map(toEndpoint),
};
