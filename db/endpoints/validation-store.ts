/** Stores the checks that a private endpoint must pass before its activation, and their results. */
import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';
import {
  type Check,
  type ListedValidation,
  MAX_VALIDATION_MS,
  type Validation,
  VALIDATION_RETENTION_DAYS,
  VALIDATION_STATES,
} from '../../domain/endpoints/validation.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, countRows, firstRow, lockName, oneRow } from '../postgres/results.ts';
import * as column from '../postgres/shape.ts';
import { type RowOf, selectList } from '../postgres/shape.ts';
import { type NamedValues, rowsOf, run } from '../postgres/statement.ts';
import { PRIVATE_ENDPOINT } from './endpoint-rows.ts';

export type NewValidation = Pick<
  Validation,
  'id' | 'endpointId' | 'workspaceId' | 'digest' | 'activates' | 'checks'
>;

const VALIDATION = {
  id: column.uuid,
  endpointId: column.uuid,
  workspaceId: column.uuid,
  digest: column.text,
  activates: column.bool,
  state: column.oneOf(VALIDATION_STATES),
  checks: column.jsonb<Check[]>(),
  createdAt: column.timestamptz,
  finishedAt: column.timestamptz.orNull,
  isLost: column.bool,
};

/**
 * The time after which an open run counts as lost. A run that is not lost has ended by then, even if it waited for a
 * worker.
 */
const LOST_AFTER_SECONDS = MAX_VALIDATION_MS / 1_000 + 10;
const OPEN = `state = 'running' and created_at >= clock_timestamp() - interval '${LOST_AFTER_SECONDS} seconds'`;
const lost = (table = ''): string =>
  `(${table}state = 'running' and ${table}created_at < clock_timestamp() - interval '${LOST_AFTER_SECONDS} seconds')`;
const LOST = lost();
const COLUMNS = selectList(VALIDATION, undefined, { isLost: LOST });
const KEPT = `interval '${VALIDATION_RETENTION_DAYS} days'`;

/** A validation with the names of its endpoint. */
const LISTED_VALIDATION = { ...VALIDATION, modelPermaslug: column.text, providerName: column.text };
const NAMES = {
  isLost: lost('v.'),
  modelPermaslug: 'm.canonical_slug',
  providerName: 'p.name',
};
const OF_ORGANIZATION = `from private_endpoint_validations v join private_endpoints e on e.id = v.endpoint_id
  join models m on m.id = e.model_id join providers p on p.slug = e.provider_slug
  where e.organization_id = :organizationId and e.deleted_at is null`;

/** Stores validations of private endpoints. A lost run is read as failed. */
export function createValidationStore(handle: Handle) {
  return {
    ...endpointsToCheck(handle),
    ...validationStarts(handle),
    ...validationReads(handle),

    /** Deletes a run that could not be started. */
    async withdraw(id: string): Promise<void> {
      await run(handle, `delete from private_endpoint_validations where id = :id and state = 'running'`, {
        id,
      });
    },

    /** Records the checks of an open run so far. Returns false if the run has ended. */
    async note(id: string, checks: readonly Check[]): Promise<boolean> {
      const statement = `update private_endpoint_validations set checks = :checks::jsonb where id = :id and ${OPEN}`;
      return anyRows(handle, statement, { id, checks: JSON.stringify(checks) });
    },

    /** Ends an open run with these checks, or else with those recorded last. Returns false if it has ended already. */
    finish: (id: string, state: 'passed' | 'failed', checks?: readonly Check[]): Promise<boolean> =>
      anyRows(
        handle,
        `update private_endpoint_validations
         set state = :state, checks = coalesce(:checks::jsonb, checks), finished_at = clock_timestamp()
         where id = :id and ${OPEN}`,
        { id, state, checks: checks === undefined ? null : JSON.stringify(checks) },
      ),

    /** Makes a draft active. Returns false for any other endpoint. */
    activateDraft: (endpointId: string): Promise<boolean> =>
      anyRows(
        handle,
        `update private_endpoints set status = 'active', updated_at = clock_timestamp()
         where id = :endpointId and status = 'draft' and deleted_at is null`,
        { endpointId },
      ),
  };
}

/** Builds the methods that read the endpoint of a validation. */
function endpointsToCheck(handle: Handle) {
  const findBy = async (condition: string, values: NamedValues): Promise<PrivateEndpoint | null> => {
    const statement = `select ${selectList(PRIVATE_ENDPOINT)} from private_endpoints
      where deleted_at is null and id = :id ${condition}`;
    return firstRow(handle, PRIVATE_ENDPOINT, statement, values);
  };
  return {
    findEndpoint: (organizationId: string, id: string) =>
      findBy('and organization_id = :organizationId', { organizationId, id }),

    /** Returns the endpoint of a run; null for a deleted one. */
    readEndpoint: (id: string) => findBy('', { id }),

    /** Returns the endpoint of a run and locks its row until the commit; null for a deleted one. */
    lockEndpoint: (id: string) => findBy('for no key update', { id }),
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
      await lockName(handle, `private_endpoint_validations ${organizationId}`);
      return countRows(
        handle,
        `from private_endpoint_validations
         where ${OPEN} and endpoint_id in (select id from private_endpoints where organization_id = :organizationId)
           and (endpoint_id, workspace_id, digest) <> (:endpointId, :workspaceId, :digest)`,
        { organizationId, endpointId, workspaceId, digest },
      );
    },

    /**
     * Inserts a run, or returns the open one for the same workspace and configuration. Also ends lost runs of the
     * endpoint, and deletes old ones.
     */
    async begin(validation: NewValidation): Promise<Validation> {
      const { endpointId } = validation;
      await run(
        handle,
        `delete from private_endpoint_validations
         where endpoint_id = :endpointId and finished_at < clock_timestamp() - ${KEPT}`,
        { endpointId },
      );
      await run(
        handle,
        `update private_endpoint_validations set state = 'failed', finished_at = clock_timestamp()
         where endpoint_id = :endpointId and ${LOST}`,
        { endpointId },
      );
      const row = await oneRow(
        handle,
        VALIDATION,
        `insert into private_endpoint_validations as v
           (id, endpoint_id, workspace_id, digest, activates, checks, created_at)
         values (:id, :endpointId, :workspaceId, :digest, :activates, :checks::jsonb, clock_timestamp())
         on conflict (endpoint_id, workspace_id, digest) where state = 'running'
           do update set activates = v.activates or excluded.activates
         returning ${COLUMNS}`,
        { ...validation, checks: JSON.stringify(validation.checks) },
      );
      return toValidation(row);
    },
  };
}

/** Builds the methods that read validations. */
function validationReads(handle: Handle) {
  return {
    async find(id: string): Promise<Validation | null> {
      const statement = `select ${COLUMNS} from private_endpoint_validations where id = :id`;
      const row = await firstRow(handle, VALIDATION, statement, { id });
      return row && toValidation(row);
    },

    /**
     * Returns the newest run of the endpoint, of any workspace and configuration. With `hasEnded`, returns the newest
     * one that has ended.
     */
    async findLatest(endpointId: string, { hasEnded = false } = {}): Promise<Validation | null> {
      const row = await firstRow(
        handle,
        VALIDATION,
        `select ${COLUMNS} from private_endpoint_validations
         where endpoint_id = :endpointId ${hasEnded ? `and state <> 'running'` : ''}
         order by created_at desc, id desc limit 1`,
        { endpointId },
      );
      return row && toValidation(row);
    },

    /** Lists the runs of all endpoints of the organization that are not deleted, the newest first. */
    async list(
      organizationId: string,
      page: { limit: number; offset: number },
    ): Promise<{ validations: ListedValidation[]; totalCount: number }> {
      const totalCount = await countRows(handle, OF_ORGANIZATION, { organizationId });
      const rows = await rowsOf(
        handle,
        LISTED_VALIDATION,
        `select ${selectList(LISTED_VALIDATION, 'v', NAMES)} ${OF_ORGANIZATION}
         order by v.created_at desc, v.id desc limit :limit offset :offset`,
        { organizationId, ...page },
      );
      return { validations: rows.map(toValidation), totalCount };
    },
  };
}

function toValidation<Row extends RowOf<typeof VALIDATION>>({ isLost, ...row }: Row): Omit<Row, 'isLost'> {
  if (!isLost) return row;
  const finishedAt = new Date(row.createdAt.getTime() + LOST_AFTER_SECONDS * 1_000);
  return { ...row, state: 'failed', finishedAt };
}
