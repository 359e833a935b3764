/** Stores the checks that a private endpoint must pass before its activation, and their results. */
import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';
import {
  type Check,
  MAX_VALIDATION_MS,
  type Validation,
  type ValidationState,
} from '../../domain/endpoints/validation.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { type EndpointRow, toPrivateEndpoint } from './endpoint-rows.ts';

export type NewValidation = Pick<
  Validation,
  'id' | 'endpointId' | 'workspaceId' | 'digest' | 'activates' | 'checks'
>;

interface ValidationRow {
  id: string;
  endpoint_id: string;
  workspace_id: string;
  digest: string;
  activates: boolean;
  state: ValidationState;
  checks: Check[];
  created_at: Date;
  finished_at: Date | null;
  is_lost: boolean;
}

/**
 * The time after which an open run counts as lost. A run that is not lost has ended by then, even if it waited for a
 * worker.
 */
const LOST_AFTER_SECONDS = MAX_VALIDATION_MS / 1_000 + 10;
const OPEN = `state = 'running' and created_at >= clock_timestamp() - interval '${LOST_AFTER_SECONDS} seconds'`;
const LOST = `(state = 'running' and created_at < clock_timestamp() - interval '${LOST_AFTER_SECONDS} seconds')`;
const COLUMNS = `*, ${LOST} is_lost`;
const KEPT = `interval '30 days'`;

/** Stores validations of private endpoints. A lost run is read as failed. */
export function createValidationStore(handle: Handle) {
  return {
    ...endpointsToCheck(handle),
    ...validationStarts(handle),
    ...validationReads(handle),

    /** Deletes a run that could not be started. */
    async withdraw(id: string): Promise<void> {
      await handle('private_endpoint_validations').where({ id, state: 'running' }).delete();
    },

    /** Records the checks of an open run so far. Returns false if the run has ended. */
    async note(id: string, checks: readonly Check[]): Promise<boolean> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `update private_endpoint_validations set checks = ?::jsonb where id = ? and ${OPEN} returning id`,
        [JSON.stringify(checks), id],
      );
      return rows.length > 0;
    },

    /** Ends an open run with these checks, or else with those recorded last. Returns false if it has ended already. */
    async finish(id: string, state: 'passed' | 'failed', checks?: readonly Check[]): Promise<boolean> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `update private_endpoint_validations
         set state = ?, checks = coalesce(?::jsonb, checks), finished_at = clock_timestamp()
         where id = ? and ${OPEN} returning id`,
        [state, checks === undefined ? null : JSON.stringify(checks), id],
      );
      return rows.length > 0;
    },

    /** Makes a draft active. Returns false for any other endpoint. */
    async activateDraft(endpointId: string): Promise<boolean> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `update private_endpoints set status = 'active', updated_at = clock_timestamp()
         where id = ? and status = 'draft' and deleted_at is null returning id`,
        [endpointId],
      );
      return rows.length > 0;
    },
  };
}

/** Builds the methods that read the endpoint of a validation. */
function endpointsToCheck(handle: Handle) {
  return {
    async findEndpoint(organizationId: string, id: string): Promise<PrivateEndpoint | null> {
      const row = await handle<EndpointRow>('private_endpoints')
        .where({ organization_id: organizationId, id })
        .whereNull('deleted_at')
        .first();
      return row === undefined ? null : toPrivateEndpoint(row);
    },

    /** Returns the endpoint of a run; null for a deleted one. */
    async readEndpoint(id: string): Promise<PrivateEndpoint | null> {
      const row = await handle<EndpointRow>('private_endpoints')
        .where({ id })
        .whereNull('deleted_at')
        .first();
      return row === undefined ? null : toPrivateEndpoint(row);
    },

    /** Returns the endpoint of a run and locks its row until the commit; null for a deleted one. */
    async lockEndpoint(id: string): Promise<PrivateEndpoint | null> {
      const row = await handle<EndpointRow>('private_endpoints')
        .where({ id })
        .whereNull('deleted_at')
        .forNoKeyUpdate()
        .first();
      return row === undefined ? null : toPrivateEndpoint(row);
    },
  };
}

/** Builds the methods that begin and find validations. */
function validationStarts(handle: Handle) {
  return {
    /**
     * Returns the number of the organization's open runs, without the one that a new run of this configuration would
     * join. Other requests of the organization wait until the commit.
     */
    async lockOpenCount(
      organizationId: string,
      { endpointId, workspaceId, digest }: Pick<NewValidation, 'endpointId' | 'workspaceId' | 'digest'>,
    ): Promise<number> {
      await handle.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
        `private_endpoint_validations ${organizationId}`,
      ]);
      const [row] = await uncheckedRowsOf<{ runs: number }>(
        handle,
        `select count(*)::integer runs from private_endpoint_validations
         where ${OPEN} and endpoint_id in (select id from private_endpoints where organization_id = ?)
           and (endpoint_id, workspace_id, digest) <> (?, ?, ?)`,
        [organizationId, endpointId, workspaceId, digest],
      );
      return row?.runs ?? 0;
    },

    /**
     * Inserts a run, or returns the open one for the same workspace and configuration. Also ends lost runs of the
     * endpoint, and deletes old ones.
     */
    async begin(run: NewValidation): Promise<Validation> {
      await handle.raw(
        `delete from private_endpoint_validations
         where endpoint_id = ? and finished_at < clock_timestamp() - ${KEPT}`,
        [run.endpointId],
      );
      await handle.raw(
        `update private_endpoint_validations set state = 'failed', finished_at = clock_timestamp()
         where endpoint_id = ? and ${LOST}`,
        [run.endpointId],
      );
      const [row] = await uncheckedRowsOf<ValidationRow>(
        handle,
        `insert into private_endpoint_validations as v
           (id, endpoint_id, workspace_id, digest, activates, checks, created_at)
         values (?, ?, ?, ?, ?, ?::jsonb, clock_timestamp())
         on conflict (endpoint_id, workspace_id, digest) where state = 'running'
           do update set activates = v.activates or excluded.activates
         returning ${COLUMNS}`,
        [run.id, run.endpointId, run.workspaceId, run.digest, run.activates, JSON.stringify(run.checks)],
      );
      if (row === undefined) throw new Error('insert returned no row');
      return toValidation(row);
    },
  };
}

/** Builds the methods that read validations. */
function validationReads(handle: Handle) {
  return {
    async find(id: string): Promise<Validation | null> {
      const [row] = await uncheckedRowsOf<ValidationRow>(
        handle,
        `select ${COLUMNS} from private_endpoint_validations where id = ?`,
        [id],
      );
      return row === undefined ? null : toValidation(row);
    },

    /**
     * Returns the newest run of the endpoint, of any workspace and configuration. With `hasEnded`, returns the newest
     * one that has ended.
     */
    async findLatest(endpointId: string, { hasEnded = false } = {}): Promise<Validation | null> {
      const [row] = await uncheckedRowsOf<ValidationRow>(
        handle,
        `select ${COLUMNS} from private_endpoint_validations
         where endpoint_id = ? ${hasEnded ? `and state <> 'running'` : ''}
         order by created_at desc, id desc limit 1`,
        [endpointId],
      );
      return row === undefined ? null : toValidation(row);
    },
  };
}

function toValidation(row: ValidationRow): Validation {
  const { is_lost: isLost } = row;
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    workspaceId: row.workspace_id,
    digest: row.digest,
    activates: row.activates,
    state: isLost ? 'failed' : row.state,
    checks: row.checks,
    createdAt: row.created_at,
    finishedAt: isLost ? new Date(row.created_at.getTime() + LOST_AFTER_SECONDS * 1_000) : row.finished_at,
  };
}
