import { parseUsd, type Nanos } from '../money.ts';
import type { BilledVideo } from '../ledger/bill.ts';

/**
 * Returns the price of a video, which is fixed when the job is accepted. It is `video` (per job) plus the seconds at
 * the most specific rate of the endpoint. The rates, most specific first: `duration_seconds_<resolution>_with_audio`,
 * `duration_seconds_<resolution>`, `duration_seconds_with_audio`, `duration_seconds`.
 */
export function priceOf(shaped: BilledVideo, skus: Record<string, string>): Nanos {
  const perJob = parseUsd(skus['video'] ?? '0');
  const rate = secondsRate(shaped, skus);
  if (rate === undefined || shaped.durationSeconds === undefined) return perJob;
  return perJob + parseUsd(rate) * BigInt(shaped.durationSeconds);
}

function secondsRate(shaped: BilledVideo, skus: Record<string, string>): string | undefined {
  const { resolution, generateAudio } = shaped;
  const names = [
    ...(resolution && generateAudio ? [`duration_seconds_${resolution}_with_audio`] : []),
    ...(resolution ? [`duration_seconds_${resolution}`] : []),
    ...(generateAudio ? ['duration_seconds_with_audio'] : []),
    'duration_seconds',
  ];
  return names.map((name) => skus[name]).find((rate) => rate !== undefined);
}
