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

describe('an error thrown by an activity', () => {
  test('loses its cause and stays retryable; the log keeps it whole', async () => {
    const thrown = new TypeError('no such thing', { cause: new Error('http://10.0.0.1/secret') });
    const failure = await seen(thrown);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ message: 'no such thing', type: 'TypeError', nonRetryable: false });
    expect(failure.cause).toBeUndefined();
    expect(logged.map(({ meta }) => meta?.['error'])).toContain(thrown);
  });

  test("loses the vendor's message when it is a provider's refusal", async () => {
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
  ])('reaches Temporal unchanged when it is %s', async (_, known) => {
    expect(await seen(known)).toBe(known);
  });
});

test("an activity's return value is passed on", async () => {
  const { adds } = withPlainFailures({ adds: async (a: number, b: number) => a + b });
  expect(await createEnvironment().run(adds, 1, 2)).toBe(3);
});

describe('retryLaterFailure', () => {
  test('makes a benign, retryable failure with the given delay', () => {
    expect(retryLaterFailure('queued', 1_500)).toMatchObject({
      message: 'queued',
      category: ApplicationFailureCategory.BENIGN,
      nonRetryable: false,
      nextRetryDelay: 1_500,
    });
  });

  test("sets no delay without a time, so the activity's own interval counts", () => {
    expect(retryLaterFailure('not there').nextRetryDelay).toBeUndefined();
  });

  test('turns a delay of 0 into 1 ms, because Temporal ignores 0', () => {
    expect(retryLaterFailure('queued', 0).nextRetryDelay).toBe(1);
  });
});
