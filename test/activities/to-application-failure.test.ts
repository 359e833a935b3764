import { beforeEach, describe, expect, test } from '@jest/globals';
import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { retryLaterFailure, withPlainFailures } from '../../activities/to-application-failure.ts';
import { ProviderError } from '../../domain/provider-error.ts';

const logged: LogEntry[] = [];

beforeEach(() => {
  logged.length = 0;
});

function createEnvironment(): MockActivityEnvironment {
  return new MockActivityEnvironment(
    {},
    { logger: new DefaultLogger('WARN', (entry) => logged.push(entry)) },
  );
}

/** What Temporal gets to see of an activity that throws this. */
async function seen(thrown: unknown): Promise<ApplicationFailure> {
  const { fails } = withPlainFailures({ fails: () => Promise.reject(thrown) });
  return createEnvironment()
    .run(fails)
    .then(
      () => Promise.reject(new Error('it did not fail')),
      (error: unknown) => error as ApplicationFailure,
    );
}

describe('what an activity throws', () => {
  test('is passed on without its causes, to be retried, and the log has them', async () => {
    const thrown = new TypeError('no such thing', { cause: new Error('http://10.0.0.1/secret') });
    const failure = await seen(thrown);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ message: 'no such thing', type: 'TypeError', nonRetryable: false });
    expect(failure.cause).toBeUndefined();
    expect(logged.map(({ meta }) => meta?.['error'])).toContain(thrown);
  });

  test('as a provider refuses, loses what the vendor said', async () => {
    const publicMessage = 'The prompt "a lighthouse" is not allowed';
    const facts = { status: 400, retryable: false, publicMessage, cause: new Error('lighthouse') };
    const failure = await seen(new ProviderError({ code: 'invalid_request', sent: true, ...facts }));
    expect(failure).toMatchObject({ message: 'invalid_request (400)', type: 'ProviderError' });
    expect(`${failure.message} ${failure.stack}`).not.toContain('lighthouse');
  });

  test.each<[string, Error]>([
    ['"not yet"', retryLaterFailure('the provider says: queued', 2_000)],
    ['a failure for good', ApplicationFailure.nonRetryable('over')],
    ['a cancellation', new CancelledFailure('cancelled')],
    ['an abort', new DOMException('stopped', 'AbortError')],
  ])('is left as it is when Temporal knows it: %s', async (_, known) => {
    expect(await seen(known)).toBe(known);
  });
});

test('what an activity returns is passed on', async () => {
  const { adds } = withPlainFailures({ adds: async (a: number, b: number) => a + b });
  expect(await createEnvironment().run(adds, 1, 2)).toBe(3);
});

describe('"not yet"', () => {
  test('is quiet, retried, and says when', () => {
    expect(retryLaterFailure('queued', 1_500)).toMatchObject({
      message: 'queued',
      category: ApplicationFailureCategory.BENIGN,
      nonRetryable: false,
      nextRetryDelay: 1_500,
    });
  });

  test('without a time leaves it to the activity’s own interval', () => {
    expect(retryLaterFailure('not there').nextRetryDelay).toBeUndefined();
  });

  test('never says "now", which Temporal would take for no wish at all', () => {
    expect(retryLaterFailure('queued', 0).nextRetryDelay).toBe(1);
  });
});
