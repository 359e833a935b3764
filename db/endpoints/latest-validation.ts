import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';

/** A run of the checks of a private endpoint. */
export interface StoredValidation {
  id: string;
  digest: string;
  state: 'running' | 'passed' | 'failed';
  checks: Record<string, unknown>[];
  createdAt: Date;
  /** Null while it runs. */
  finishedAt: Date | null;
}

interface ValidationRow {
  id: string;
  digest: string;
  state: StoredValidation['state'];
  checks: Record<string, unknown>[];
  created_at: Date;
  finished_at: Date | null;
}

/** Finds the run of an endpoint's checks that was started last, or, of those that ended, the one started last. */
export async function findLatestValidation(
  handle: Handle,
  endpointId: string,
  { ended = false }: { ended?: boolean } = {},
): Promise<StoredValidation | null> {
  const [row] = await rowsOf<ValidationRow>(
    handle,
    `select id, digest, state, checks, created_at, finished_at from private_endpoint_validations
     where endpoint_id = ? ${ended ? `and state <> 'running'` : ''} order by created_at desc, id desc limit 1`,
    [endpointId],
  );
  if (row === undefined) return null;
  const { id, digest, state, checks, created_at: createdAt, finished_at: finishedAt } = row;
  return { id, digest, state, checks, createdAt, finishedAt };
}
