import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatMicros } from '../../../domain/amount.ts';
import { formatPrice } from '../../../domain/catalog/token-price.ts';
import { METERS, type VendorReport, type VideoMeters } from '../../../domain/catalog/video-meters.ts';
import { billingFlagOf } from '../../../domain/videos/billing-flag.ts';
import { TERMINAL_STATUSES } from '../../../domain/videos/job.ts';
import { costOfReport, quoteVideo } from '../../../domain/videos/video-price.ts';
import { mostSpecific, type PricedVideo } from '../../../domain/videos/video-sku.ts';

const VIDEO: PricedVideo = {
  resolution: '720p',
  durationSeconds: 5,
  generateAudio: false,
  hasVideoInput: false,
};

describe('the entry that fits a video', () => {
  const all = Object.fromEntries(
    [
      '',
      '_with_audio',
      '_without_audio',
      '_720p',
      '_with_audio_720p',
      '_without_audio_720p',
      '_with_video_input',
      '_720p_with_video_input',
    ].map((ending) => [`video_tokens${ending}`, ending]),
  );

  test.each<[Partial<PricedVideo>, string]>([
    [{}, '_without_audio_720p'],
    [{ generateAudio: true }, '_with_audio_720p'],
    [{ resolution: '480p' }, '_without_audio'],
    [{ resolution: '480p', generateAudio: true }, '_with_audio'],
    [{ hasVideoInput: true }, '_720p_with_video_input'],
    [{ hasVideoInput: true, resolution: '480p' }, '_with_video_input'],
    [{ resolution: undefined }, '_without_audio'],
  ])('chooses for %j the ending %s', (change, ending) => {
    expect(mostSpecific('video_tokens', { ...VIDEO, ...change }, all)).toBe(ending);
  });

  test.each([
    ['4K', 'duration_seconds_4k'],
    ['4K', 'duration_seconds_4K'],
    ['720p', 'duration_seconds_without_audio_720p'],
    ['720p', 'duration_seconds_720p_without_audio'],
    ['720p', 'duration_seconds_720p'],
  ])('finds for %s the name %s', (resolution, name) => {
    const skus = { duration_seconds: '1', [name]: '2' };
    expect(mostSpecific('duration_seconds', { ...VIDEO, resolution }, skus)).toBe('2');
  });
});

describe('a quote', () => {
  test('reserves the most, estimates the documented number, and bills what was reported', () => {
    const quote = quoteVideo(VIDEO, {
      pricingSkus: { video_tokens: '0.0000024', video_tokens_1080p: '9' },
      meters: { video_tokens: { usual: { per_second_720p: '21600' }, most: { per_second: '50000' } } },
    });
    expect(quote).toEqual({
      mostNanos: 600_000_000n,
      terms: {
        fixedNanos: '0',
        estimateNanos: '259200000',
        meters: { video_tokens: { price: '0.0000024', usual: '108000' } },
      },
    });
    expect(costOfReport(quote.terms, { video_tokens: '108900' })).toBe(261_360_000n);
  });

  test('takes the most as the estimate where the vendor documents no number', () => {
    const { terms, mostNanos } = quoteVideo(VIDEO, {
      pricingSkus: { video: '0.1', billable_units: '0.01' },
      meters: { billable_units: { most: { per_second: '0.5', per_video: '1' } } },
    });
    expect([terms.estimateNanos, mostNanos]).toEqual(['135000000', 135_000_000n]);
  });

  test('bills ticks of a ten-thousandth of a millionth of a dollar', () => {
    const { terms } = quoteVideo(VIDEO, {
      pricingSkus: { billable_units: '0.0000000001' },
      meters: { billable_units: { most: { per_second: '700000000' } } },
    });
    expect(costOfReport(terms, { billable_units: '3500000005' })).toBe(350_000_001n);
  });

  test('has the fixed price of an endpoint without meters', () => {
    const quote = quoteVideo(VIDEO, { pricingSkus: { duration_seconds: '0.02' } });
    expect(quote).toEqual({
      mostNanos: 100_000_000n,
      terms: { fixedNanos: '100000000', estimateNanos: '100000000', meters: {} },
    });
  });
});

const amount = fc.bigInt(0n, 10n ** 12n).map(formatMicros);
const price = fc.bigInt(0n, 10n ** 19n).map(formatPrice);
const report: fc.Arbitrary<VendorReport> = fc.record(
  Object.fromEntries(METERS.map((meter) => [meter, amount])),
  { requiredKeys: [] },
);
const endpoint = fc.record({
  pricingSkus: fc.record({ video: price, ...Object.fromEntries(METERS.map((meter) => [meter, price])) }),
  meters: fc.record(
    Object.fromEntries(
      METERS.map((meter) => [
        meter,
        fc.record({
          usual: fc.record({ per_video: amount, per_second: amount }),
          most: fc.record({ per_video: amount, per_second: amount }),
        }),
      ]),
    ),
    { requiredKeys: [] },
  ) as fc.Arbitrary<VideoMeters>,
});

/** Adds up the cost in 10⁻²⁴ dollars from the text of the numbers. */
function naiveParts(terms: ReturnType<typeof quoteVideo>['terms'], reported: VendorReport): bigint {
  const scaled = (decimal: string, digits: number): bigint => {
    const [whole = '', fraction = ''] = decimal.split('.');
    return BigInt(whole + fraction.padEnd(digits, '0'));
  };
  return METERS.reduce(
    (sum, meter) => {
      const priced = terms.meters[meter];
      if (priced === undefined) return sum;
      return sum + scaled(priced.price, 18) * scaled(reported[meter] ?? priced.usual, 6);
    },
    BigInt(terms.fixedNanos) * 10n ** 15n,
  );
}

describe('for all prices and reports', () => {
  test('the cost is the exact sum, rounded once to the nanodollar', () => {
    fc.assert(
      fc.property(endpoint, report, (prices, reported) => {
        const { terms } = quoteVideo(VIDEO, prices);
        const cost = costOfReport(terms, reported);
        const error = cost * 10n ** 15n - naiveParts(terms, reported);
        expect(error > -(10n ** 15n) / 2n && error <= 10n ** 15n / 2n).toBe(true);
        expect(cost >= 0n).toBe(true);
      }),
    );
  });

  test('no estimate exceeds the reservation, and no report within the most does', () => {
    fc.assert(
      fc.property(endpoint, report, (prices, reported) => {
        const { terms, mostNanos } = quoteVideo(VIDEO, prices);
        expect(BigInt(terms.estimateNanos) <= mostNanos).toBe(true);
        const within = Object.fromEntries(
          METERS.flatMap((meter) => {
            const most = prices.meters[meter]?.most;
            if (most === undefined || reported[meter] === undefined) return [];
            const limit = Number(most['per_video']) + 5 * Number(most['per_second']);
            return [[meter, Number(reported[meter]) <= limit ? reported[meter] : '0']];
          }),
        );
        expect(costOfReport(terms, within) <= mostNanos).toBe(true);
      }),
    );
  });

  test('a flag never depends on a unit without a price', () => {
    fc.assert(
      fc.property(report, fc.constantFrom(...TERMINAL_STATUSES), (reported, status) => {
        const terms = { fixedNanos: '5', estimateNanos: '5', meters: {} };
        expect(billingFlagOf(status, terms, reported)).toBeNull();
      }),
    );
  });
});

describe('a bill is flagged', () => {
  const terms = {
    fixedNanos: '0',
    estimateNanos: '3000000000',
    meters: { billable_units: { price: '1', usual: '3' } },
  };

  test.each([
    ['completed', '3', null],
    ['completed', '9', null],
    ['completed', '9.000001', 'above_estimate'],
    ['completed', '1', null],
    ['completed', '0.999999', 'below_estimate'],
    ['completed', '0', 'below_estimate'],
    ['completed', null, 'not_reported'],
    ['cancelled', '0', null],
    ['cancelled', '10', 'above_estimate'],
    ['cancelled', null, null],
    ['failed', '1', 'billed_without_video'],
    ['failed', '0', null],
    ['failed', null, null],
    ['expired', '1', 'billed_without_video'],
  ] as const)('%s with %s units: %s', (status, units, flag) => {
    expect(billingFlagOf(status, terms, units === null ? null : { billable_units: units })).toBe(flag);
  });
});
