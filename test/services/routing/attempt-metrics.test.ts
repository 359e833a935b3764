import { expect, test } from '@jest/globals';
import { ProviderError } from '../../../domain/provider-error.ts';
import { createMetrics } from '../../../platform/create-metrics.ts';
import { UnsupportedFieldsError } from '../../../domain/unsupported-fields.ts';
import { createAttemptMetrics } from '../../../services/routing/attempt-metrics.ts';
import { readScrape } from '../../support/scrape.ts';

const failed = (code: ProviderError['code']): ProviderError =>
  new ProviderError({ code, sent: true, retryable: false, publicMessage: 'No' });

function createScene(known: string[]) {
  const metrics = createMetrics(0);
  const attempts = createAttemptMetrics(metrics, { hasProvider: (slug) => known.includes(slug) });
  const counts = async (): Promise<Record<string, number | undefined>> => {
    const { series, value } = readScrape(await metrics.text());
    const own = series.filter((name) => name.startsWith('sluice_upstream_attempts_total'));
    return Object.fromEntries(own.map((name) => [/\{(.*)\}/.exec(name)![1], value(name)]));
  };
  return { attempts, counts };
}

test('an attempt counts under its provider and the outcome of its error', async () => {
  const { attempts, counts } = createScene(['a']);
  attempts.ended('a');
  for (const code of [
    'content_policy',
    'invalid_request',
    'timeout',
    'aborted',
    'unauthorized',
    'overloaded',
  ] as const)
    attempts.ended('a', failed(code));
  expect(await counts()).toEqual({
    'provider="a",outcome="answered"': 1,
    'provider="a",outcome="refused"': 2,
    'provider="a",outcome="timed_out"': 1,
    'provider="a",outcome="aborted"': 1,
    'provider="a",outcome="failed"': 2,
  });
});

test('an attempt at a model that the provider no longer has counts under an outcome of its own', async () => {
  const { attempts, counts } = createScene(['a']);
  const gone = { code: 'not_found', sent: true, retryable: false, publicMessage: 'No' } as const;
  attempts.ended('a', new ProviderError({ ...gone, isModelGone: true }));
  attempts.ended('a', new ProviderError(gone));
  expect(await counts()).toEqual({
    'provider="a",outcome="model_gone"': 1,
    'provider="a",outcome="failed"': 1,
  });
});

test('a request with fields that a provider lacks counts as no attempt', async () => {
  const { attempts, counts } = createScene(['a']);
  attempts.ended('a', new UnsupportedFieldsError([{ path: 'body.x', message: 'cannot be carried' }]));
  expect(await counts()).toEqual({});
});

test('providers outside the catalog share the label "other" until they enter it', async () => {
  const known: string[] = [];
  const { attempts, counts } = createScene(known);
  for (let n = 0; n < 100; n += 1) attempts.ended(`made-up-${n}`);
  expect(await counts()).toEqual({ 'provider="other",outcome="answered"': 100 });
  known.push('made-up-7');
  attempts.ended('made-up-7');
  expect(await counts()).toEqual({
    'provider="other",outcome="answered"': 100,
    'provider="made-up-7",outcome="answered"': 1,
  });
});
