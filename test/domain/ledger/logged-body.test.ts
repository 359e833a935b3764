import { describe, expect, test } from '@jest/globals';
import { newGenerationId } from '../../../domain/ids.ts';
import { logsBody } from '../../../domain/ledger/logged-body.ts';

const ON = {
  isObservabilityIoLoggingEnabled: true,
  ioLoggingApiKeyIds: null,
  ioLoggingSamplingRate: 1,
};
const ID = newGenerationId(1_767_225_600_000);

describe('logsBody', () => {
  test('returns true only if the workspace has logging switched on', () => {
    expect(logsBody(ON, 1, ID)).toBe(true);
    expect(logsBody({ ...ON, isObservabilityIoLoggingEnabled: false }, 1, ID)).toBe(false);
  });

  test('returns true only for the listed keys, and for no key of an empty list', () => {
    expect(logsBody({ ...ON, ioLoggingApiKeyIds: [1, 2] }, 2, ID)).toBe(true);
    expect(logsBody({ ...ON, ioLoggingApiKeyIds: [1, 2] }, 3, ID)).toBe(false);
    expect(logsBody({ ...ON, ioLoggingApiKeyIds: [] }, 1, ID)).toBe(false);
  });

  test('samples the configured share, and a higher rate keeps every id of a lower one', () => {
    const ids = Array.from({ length: 5_000 }, (_, i) => newGenerationId(i));
    const wantedAt = (rate: number): string[] =>
      ids.filter((id) => logsBody({ ...ON, ioLoggingSamplingRate: rate }, 1, id));
    const [few, many] = [wantedAt(0.1), wantedAt(0.3)];
    expect(few.length).toBeGreaterThan(300);
    expect(few.length).toBeLessThan(700);
    expect(many).toEqual(expect.arrayContaining(few));
  });
});
