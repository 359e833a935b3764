/** Declares the environment variables of the ledger: its spool and its retention. */
import { absolutePath, byteSize, duration } from './config-rules.ts';
import { defaulted, optional, type Values } from './config-variable.ts';

/**
 * The reason for the shortest retention: only an existing row prevents a repeated settlement from being billed twice.
 */
const REPLAYED_LATE =
  'a spool that is replayed late, or a job that is settled again, must find the rows that it has written';

export const ledgerVariables = {
  SPOOL_DIR: optional(absolutePath, {
    sentence:
      'A directory on a volume that outlives the process, where generations are kept during an outage of Postgres. Processes may share it.',
    example: '/var/lib/sluice/spool',
    unset: 'during an outage of Postgres, requests in flight wait and new generations get 503',
  }),
  SPOOL_MAX_SIZE: defaulted(byteSize('1MiB', '1024GiB'), '1GiB', {
    sentence:
      'The most that all `API_PROCESSES` together keep in `SPOOL_DIR` before new generations get 503; about 1.2 KiB a generation. Generations in flight may exceed it.',
  }),
  GENERATION_RETENTION: defaulted(duration('3d', '3650d', REPLAYED_LATE), '90d', {
    sentence:
      'How long generations are kept; at least three days, within which spools are replayed and jobs settled. Counters and rollups are never deleted.',
  }),
};

export interface LedgerConfig {
  /** Absent: the API keeps no spool. */
  spool?: { directory: string; maxBytes: number } | undefined;
  retentionMs: number;
}

export function ledgerConfig(values: Values<typeof ledgerVariables>): LedgerConfig {
  const { SPOOL_DIR: directory, SPOOL_MAX_SIZE: maxBytes } = values;
  return {
    spool: directory === undefined ? undefined : { directory, maxBytes },
    retentionMs: values.GENERATION_RETENTION,
  };
}
