import { describe, expect, test } from '@jest/globals';
import { shareOf } from '../../api/process-share.ts';
import { loadConfig } from '../../platform/config.ts';
import { descriptorLimit } from '../../platform/descriptor-limit.ts';
import { PRODUCTION } from '../platform/config-setup.ts';

/** A quarter of the sockets of this process, for any number of processes. */
const ofSockets = Math.floor(Math.min(descriptorLimit(), 32_768) / 4);
const OF_SOCKETS = { maxOfKey: ofSockets, maxOfOrganization: ofSockets };

const MIB = 1024 ** 2;

const shareWith = (env: Record<string, string>, heapBytes = 4_096 * MIB) =>
  shareOf(loadConfig({ ...PRODUCTION, ...env }), heapBytes);

describe("an API process's share", () => {
  test('includes all limits when it is the only process', () => {
    expect(shareWith({ DATABASE_POOL_MAX: '1', SPOOL_DIR: '/spool', SPOOL_MAX_SIZE: '1GiB' })).toEqual({
      poolMax: 1,
      heavyReads: 4,
      unknownKeyReads: 8,
      bodyBytes: 512 * MIB,
      answers: {
        memoryBytes: 512 * MIB,
        maxTextBytes: 16 * MIB,
        maxEventBytes: MIB,
        maxMediaBytes: 64 * MIB,
      },
      spoolBytes: 1024 ** 3,
      inFlight: OF_SOCKETS,
    });
  });

  test('divides the limits among several processes', () => {
    const env = { API_PROCESSES: '4', DATABASE_POOL_MAX: '11', SPOOL_DIR: '/spool', SPOOL_MAX_SIZE: '1GiB' };
    expect(shareWith(env)).toEqual({
      poolMax: 2,
      heavyReads: 2,
      unknownKeyReads: 2,
      bodyBytes: 128 * MIB,
      answers: {
        memoryBytes: 128 * MIB,
        maxTextBytes: 16 * MIB,
        maxEventBytes: MIB,
        maxMediaBytes: 64 * MIB,
      },
      spoolBytes: 256 * 1024 ** 2,
      inFlight: OF_SOCKETS,
    });
  });

  test('divides configured limits on requests in flight, and leaves at least one', () => {
    const env = { API_PROCESSES: '4', DATABASE_POOL_MAX: '8' };
    const { inFlight } = shareWith({
      ...env,
      MAX_IN_FLIGHT_PER_KEY: '3',
      MAX_IN_FLIGHT_PER_ORGANIZATION: '403',
    });
    expect(inFlight).toEqual({ maxOfKey: 1, maxOfOrganization: 100 });
  });

  test('caps the memory for answers at a quarter of the heap', () => {
    const env = { MAX_ANSWER_SIZE: '6MiB', MAX_EVENT_SIZE: '2MiB', ANSWER_MEMORY: '1GiB' };
    const { answers } = shareWith(env, 256 * MIB);
    expect(answers).toEqual({
      memoryBytes: 64 * MIB,
      maxTextBytes: 6 * MIB,
      maxEventBytes: 2 * MIB,
      maxMediaBytes: 8 * MIB,
    });
  });

  test('requires two connections for each process, and names a sufficient DATABASE_POOL_MAX', () => {
    expect(() => shareWith({ API_PROCESSES: '4', DATABASE_POOL_MAX: '7' })).toThrow(
      'DATABASE_POOL_MAX is 7, and each of the 4 processes of API_PROCESSES needs 2 connections: that is enough for 3; for example DATABASE_POOL_MAX=8',
    );
  });
});
