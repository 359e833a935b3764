import { describe, expect, test } from '@jest/globals';
import type { ProviderError } from '../../domain/provider-error.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { chunksOf, failureOf, type TextAdapterUnderTest } from './text-adapter-under-test.ts';
import { UPSTREAM_KEY } from './upstream-client.ts';

/** Every class of failure, of a whole answer and of a stream: what fails before the first word fails alike. */
export function describeTextFailures(adapter: TextAdapterUnderTest<VendorStandIn>): void {
  async function failureFrom(fault: FaultInput, call: () => Promise<unknown>): Promise<ProviderError> {
    // Twice: what is lost with a connection that was used before is asked again.
    adapter.client.upstream.addFaults({ ...fault, times: 2 } as FaultInput);
    const error = await failureOf(call());
    adapter.client.upstream.clearFaults();
    return error;
  }

  async function failuresFrom(fault: FaultInput): Promise<ProviderError[]> {
    const whole = await failureFrom(fault, () => adapter.complete());
    return [whole, await failureFrom(fault, () => adapter.stream().then(chunksOf))];
  }

  describe('a refusal', () => {
    test.each([
      [400, 'invalid_request', false],
      [401, 'unauthorized', false],
      [402, 'unauthorized', false],
      [403, 'unauthorized', false],
      [404, 'not_found', false],
      [408, 'timeout', true],
      [409, 'conflict', false],
      [413, 'invalid_request', false],
      [422, 'invalid_request', false],
      [429, 'rate_limited', true],
      [500, 'server_error', true],
      [502, 'server_error', true],
      [503, 'overloaded', true],
      [504, 'timeout', true],
      [529, 'overloaded', true],
    ])('status %d becomes %s', async (status, code, retryable) => {
      const errors = await failuresFrom({ kind: 'status', on: 'chat', status });
      expect(errors).toMatchObject([
        { code, status, retryable },
        { code, status, retryable },
      ]);
    });

    test('carries Retry-After in milliseconds, given in seconds or as a date', async () => {
      const seconds = await failuresFrom({ kind: 'status', on: 'chat', status: 429, retryAfter: '7' });
      expect(seconds.map(({ retryAfterMs }) => retryAfterMs)).toEqual([7_000, 7_000]);
      const retryAfter = new Date(Date.now() + 3_600_000).toUTCString();
      const [date] = await failuresFrom({ kind: 'status', on: 'chat', status: 503, retryAfter });
      expect(Math.round((date?.retryAfterMs ?? 0) / 600_000)).toBe(6);
    });

    test('becomes unauthorized, not rate_limited, for the code insufficient_quota', async () => {
      const errors = await failuresFrom({
        kind: 'status',
        on: 'chat',
        status: 429,
        code: 'insufficient_quota',
      });
      const refused = { code: 'unauthorized', status: 429, retryable: false };
      expect(errors).toMatchObject([refused, refused]);
    });

    test('becomes content_policy for the code content_filter', async () => {
      const [error] = await failuresFrom({ kind: 'status', on: 'chat', status: 400, code: 'content_filter' });
      expect(error).toMatchObject({ code: 'content_policy', retryable: false });
    });

    test('shows the vendor’s words about the request, but no key, address or account', async () => {
      const message = `Bad size. Key ${UPSTREAM_KEY} of org-abcdef123 at https://internal.example/v1?token=x, ask ops@vendor.example.`;
      for (const error of await failuresFrom({ kind: 'status', on: 'chat', status: 400, message })) {
        expect(error.publicMessage).toMatch(/^Bad size\./);
        for (const text of [error.publicMessage, error.message, String(error.cause)]) {
          expect(text).not.toMatch(/sk-local|org-abcdef|internal\.example|ops@vendor/);
        }
      }
    });
  });

  describe('an error in a 200', () => {
    test.each([
      ['rate_limit_exceeded', 'rate_limited', true],
      ['invalid_request_error', 'invalid_request', false],
      ['context_length_exceeded', 'invalid_request', false],
      ['content_filter', 'content_policy', false],
      ['insufficient_quota', 'unauthorized', false],
      ['overloaded_error', 'overloaded', true],
      ['something_else', 'server_error', true],
      [404, 'not_found', false],
      [503, 'overloaded', true],
    ])('the code %s becomes %s', async (word, code, retryable) => {
      const errors = await failuresFrom({ kind: 'error-body', code: word });
      expect(errors).toMatchObject([
        { code, retryable },
        { code, retryable },
      ]);
      expect(errors[0]?.status).toBe(typeof word === 'number' ? word : undefined);
    });

    test('hides the vendor’s words about the operator’s key', async () => {
      const message = `Key ${UPSTREAM_KEY} of Example Inc. was revoked`;
      for (const error of await failuresFrom({ kind: 'error-body', code: 'invalid_api_key', message })) {
        expect(error).toMatchObject({ code: 'unauthorized' });
        expect(error.publicMessage).not.toMatch(/Example/);
        expect(String(error.cause)).not.toMatch(/sk-local/);
      }
    });
  });

  describe('an answer', () => {
    test.each([
      ['drop', 'connection_lost'],
      ['drop-after', 'connection_lost'],
      ['garbage', 'invalid_response'],
      ['wrong-shape', 'invalid_response'],
    ] as const)('fails on %s as %s', async (kind, code) => {
      const errors = await failuresFrom({ kind, on: 'chat' });
      expect(errors).toMatchObject([
        { code, retryable: true },
        { code, retryable: true },
      ]);
    });

    test('fails as invalid_response beyond 64 MiB', async () => {
      adapter.fault({ kind: 'oversized', on: 'chat', bytes: 65 * 1024 ** 2 });
      const error = await failureOf(adapter.complete());
      expect(error).toMatchObject({ code: 'invalid_response' });
      expect(String(error.cause)).toMatch(/more than 67108864 bytes/);
    });
  });
}
