import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import { createValidationStore } from '../../../db/endpoints/validation-store.ts';
import type { Check, CheckName, CheckReason, Validation } from '../../../domain/endpoints/validation.ts';
import { retryDuringOutage } from '../../retry-during-outage.ts';
import { digestOf } from '../digest-of.ts';
import type { TargetDeps } from './find-target.ts';
import { runChecks } from './run-checks.ts';

export type ValidateDeps = TargetDeps;

/**
 * Runs the checks of a validation and stores their result. Returns whether they passed. A run that has ended already
 * keeps its result. An endpoint that was changed meanwhile is not activated, because the result concerns its earlier
 * configuration.
 */
export async function validateEndpoint(
  deps: ValidateDeps,
  validationId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const store = createValidationStore(deps.knex);
  const validation = await store.find(validationId);
  if (validation === null) return false;
  if (validation.state !== 'running') return validation.state === 'passed';
  const checks = await checksOf(deps, validation, signal);
  return retryDuringOutage(() => finish(deps, validation, checks), signal);
}

/**
 * Ends an interrupted validation with the checks recorded so far. If there are none, but a worker had begun, the first
 * check was interrupted. Returns whether the validation had passed before.
 */
export async function endValidation(
  { knex }: Pick<ValidateDeps, 'knex'>,
  validationId: string,
  hasBegun: boolean,
): Promise<boolean> {
  const store = createValidationStore(knex);
  const before = await store.find(validationId);
  const isUntouched = before?.checks[0]?.reason === 'not_validated';
  const checks = hasBegun && isUntouched ? failedAt('base_url_allowed', 'interrupted') : undefined;
  await store.finish(validationId, 'failed', checks);
  return (await store.find(validationId))?.state === 'passed';
}

async function checksOf(deps: ValidateDeps, validation: Validation, signal: AbortSignal): Promise<Check[]> {
  const store = createValidationStore(deps.knex);
  const { id, endpointId, workspaceId } = validation;
  const endpoint = await store.readEndpoint(endpointId);
  if (endpoint === null) return failedAt('base_url_allowed', 'endpoint_not_found');
  if (digestOf(endpoint) !== validation.digest) return failedAt('base_url_allowed', 'validation_stale');
  return runChecks(deps, {
    endpoint,
    workspaceId,
    options: { requestId: id, signal },
    async note(checks) {
      const isOpen = await retryDuringOutage(() => store.note(id, checks), signal);
      if (!isOpen) throw new Error('the validation has ended');
    },
  });
}

/** Stores the result and, on request, activates the endpoint, in one transaction. */
async function finish(deps: ValidateDeps, validation: Validation, checks: Check[]): Promise<boolean> {
  const { id, endpointId, digest, activates } = validation;
  const isPassed = checks.every(({ passed }) => passed);
  return deps.knex.transaction(async (transaction) => {
    const store = createValidationStore(transaction);
    const endpoint = await store.lockEndpoint(endpointId);
    const isStored = await store.finish(id, isPassed ? 'passed' : 'failed', checks);
    if (!isStored) return (await store.find(id))?.state === 'passed';
    const isSame = endpoint !== null && digestOf(endpoint) === digest;
    if (isPassed && activates && isSame && (await store.activateDraft(endpointId))) {
      const actor = { organizationId: endpoint.organizationId, isSystem: true } as const;
      const target = `private-endpoints/${endpointId}`;
      await createAuditStore(transaction).insert(actor, { action: 'activatePrivateEndpoint', target });
    }
    return isPassed;
  });
}

function failedAt(name: CheckName, reason: CheckReason): Check[] {
  return [{ name, passed: false, reason }];
}
