import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import type { Modality } from '../../domain/modality.ts';
import type { RankedModel } from '../../db/insights/rankings-read-model.ts';
import type { ModelRankingsQuery } from '../../services/insights/rankings/rankings-service.ts';

const DAY_MS = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Which day, week or month a settled generation is in, said anew and plainly. */
function startOfPeriod(day: string, period: 'day' | 'week' | 'month'): string {
  const ms = Date.parse(`${day}T00:00:00Z`);
  if (period === 'day') return day;
  if (period === 'month') return `${day.slice(0, 7)}-01`;
  const daysSinceMonday = (new Date(ms).getUTCDay() + 6) % 7;
  return dayOf(ms - daysSinceMonday * DAY_MS);
}

const BUCKETS: [name: string, tokens: number][] = [
  ['1K', 1_000],
  ['10K', 10_000],
  ['100K', 100_000],
  ['1M', 1_000_000],
  ['10M', 10_000_000],
];

function matches({ slice }: ModelRankingsQuery, one: GenerationRecord): boolean {
  if (slice.dataset === 'sampled') {
    if (one.sample === null) return false;
    return 'category' in slice
      ? one.sample.category === slice.category
      : one.sample.languageType === slice.languageType;
  }
  const has = (modalities: Modality[], modality: Modality) => modalities.includes(modality);
  const surfaces = {
    text: has(one.outputModalities, 'text'),
    image_output: has(one.outputModalities, 'image'),
    image: has(one.inputModalities, 'image'),
    audio: has(one.inputModalities, 'audio'),
    tool_calling: one.toolCalls >= 1,
  };
  if (slice.surface !== undefined && !surfaces[slice.surface]) return false;
  const bucket = BUCKETS.find(([, tokens]) => tokens >= (one.usage?.prompt ?? 0))?.[0];
  return slice.contextBucket === undefined || slice.contextBucket === bucket;
}

/**
 * Computes the rankings from the generations themselves, rule by rule, so that tests can compare the product with the
 * result. `yesterday` is the last day that is over.
 */
export function naiveRankings(
  generations: readonly GenerationRecord[],
  publicModels: readonly string[],
  query: ModelRankingsQuery,
  yesterday: string,
): RankedModel[] {
  const end = [query.window.endDate ?? yesterday, yesterday].toSorted()[0]!;
  const asked = query.window.startDate ?? dayOf(Date.parse(end) - 30 * DAY_MS);
  const start = [asked, '2025-01-01'].toSorted()[1]!;
  const sums = new Map<string, Map<string, bigint>>();
  for (const one of generations) {
    if (one.isByok || !publicModels.includes(one.model) || !matches(query, one)) continue;
    const day = dayOf(one.settledAt.getTime());
    // Days that are not over are in nothing.
    if (day > yesterday || day < '2025-01-01') continue;
    const unit = query.slice.dataset === 'sampled' ? startOfPeriod(day, 'week') : day;
    if (unit < start || unit > end) continue;
    const weight = query.slice.dataset === 'sampled' ? BigInt(one.sample!.weight) : 1n;
    const tokens = BigInt((one.usage?.prompt ?? 0) + (one.usage?.completion ?? 0)) * weight;
    if (tokens === 0n) continue;
    const date = startOfPeriod(unit, query.period);
    const ofDate = sums.get(date) ?? new Map<string, bigint>();
    ofDate.set(one.model, (ofDate.get(one.model) ?? 0n) + tokens);
    sums.set(date, ofDate);
  }
  return [...sums.keys()].toSorted().flatMap((date) => {
    const ranked = [...sums.get(date)!].toSorted(([a, x], [b, y]) =>
      x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1,
    );
    const rest = ranked.slice(50);
    const rows = ranked.slice(0, 50).map(([model, tokens]) => ({ date, model, totalTokens: `${tokens}` }));
    const other = rest.reduce((sum, [, tokens]) => sum + tokens, 0n);
    return rest.length === 0 ? rows : [...rows, { date, model: 'other', totalTokens: `${other}` }];
  });
}
