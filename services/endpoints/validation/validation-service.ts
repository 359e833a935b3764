/** Starts validations of private endpoints, waits for their results, and shows the latest one. */
import { setTimeout as delay } from 'node:timers/promises';
import { createAccountStore } from '../../../db/accounts/account-store.ts';
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import { createValidationStore } from '../../../db/endpoints/validation-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { PrivateEndpoint } from '../../../domain/endpoints/private-endpoint.ts';
import {
  MAX_OPEN_VALIDATIONS,
  type Validation,
  VALIDATION_FRESH_MS,
} from '../../../domain/endpoints/validation.ts';
import { AppError } from '../../../domain/errors.ts';
import { newUuid } from '../../../domain/ids.ts';
import type { Actor } from '../../../domain/principal.ts';
import { requireFound, requireId } from '../../require-found.ts';
import type { RunStarter } from '../../runs/run-starter.ts';
import { convertCancelledStatement } from '../cancelled-statement.ts';
import { digestOf } from '../digest-of.ts';

export interface ValidationServiceDeps {
  knex: Handle;
  runs: Pick<RunStarter, 'startValidation'>;
  /** Milliseconds for which a caller waits for the end of a run; 25 s when absent. */
  waitMs?: number;
}

/** A validation, with whether it is valid for the endpoint's current state. */
export interface ShownValidation {
  validation: Validation;
  /** True when the validation tested the endpoint's current configuration and is at most a day old. */
  isCurrent: boolean;
}

/**
 * The result of activating a new endpoint. `stale` means that the checks passed but the endpoint was changed
 * meanwhile.
 */
export type ActivationOutcome =
  | { kind: 'activated' | 'failed' | 'stale'; validation: Validation }
  | { kind: 'running' };

export interface ActivationRequest {
  endpoint: PrivateEndpoint;
  /** A workspace of the organization of the endpoint. */
  workspaceId: string;
  gone: AbortSignal;
}

const WAIT_MS = 25_000;
const POLL_EVERY_MS = 250;

/**
 * Runs the checks of private endpoints. A second request joins the open run for the same configuration and workspace.
 */
export function createValidationService(deps: ValidationServiceDeps) {
  const store = createValidationStore(deps.knex);
  return {
    /**
     * Runs a validation and returns its result. Throws 408 when the run takes longer than the wait, 409 when the
     * organization has too many runs, and 503 when Temporal is unreachable. The wait ends when the caller disconnects.
     */
    validate: (actor: Actor, id: string, workspaceId: string, gone: AbortSignal): Promise<Validation> =>
      convertCancelledStatement(validate(deps, actor, id, workspaceId, gone)),
    /** Checks a new endpoint. The run activates it when all checks pass, even after this has returned `running`. */
    startActivation: (request: ActivationRequest): Promise<ActivationOutcome> =>
      convertCancelledStatement(startActivation(deps, request)),
    /** Returns the newest validation; null for an endpoint that was never checked. */
    async latestOf(endpoint: PrivateEndpoint): Promise<ShownValidation | null> {
      const validation = await convertCancelledStatement(store.findLatest(endpoint.id));
      return validation && { validation, isCurrent: isCurrent(endpoint, validation) };
    },
    /** Lists the validations of an organization, the newest first. */
    list: (organizationId: string, page: { limit: number; offset: number }) =>
      convertCancelledStatement(store.list(organizationId, page)),
  };
}

export type ValidationService = ReturnType<typeof createValidationService>;

async function validate(
  deps: ValidationServiceDeps,
  actor: Actor,
  id: string,
  workspaceId: string,
  gone: AbortSignal,
): Promise<Validation> {
  const { knex } = deps;
  const { organizationId } = actor;
  const endpoint = requireFound(
    await createValidationStore(knex).findEndpoint(organizationId, requireId(id)),
  );
  await requireWorkspace(knex, organizationId, workspaceId);
  const run = await knex.transaction(async (transaction) => {
    const target = `private-endpoints/${endpoint.id}`;
    await createAuditStore(transaction).insert(actor, { action: 'validatePrivateEndpoint', target });
    return begin(transaction, endpoint, workspaceId, false);
  });
  await start(deps, run);
  const ended = await waitForEnd(deps, run.validation.id, gone);
  if (ended === undefined) throw new AppError('timeout', { reason: 'validation_running' });
  return ended;
}

async function startActivation(
  deps: ValidationServiceDeps,
  { endpoint, workspaceId, gone }: ActivationRequest,
): Promise<ActivationOutcome> {
  const { knex } = deps;
  const run = await knex.transaction((transaction) => begin(transaction, endpoint, workspaceId, true));
  await start(deps, run);
  const validation = await waitForEnd(deps, run.validation.id, gone);
  if (validation === undefined) return { kind: 'running' };
  if (validation.state === 'failed') return { kind: 'failed', validation };
  const present = await createValidationStore(knex).readEndpoint(endpoint.id);
  return { kind: present?.status === 'active' ? 'activated' : 'stale', validation };
}

interface StartedRun {
  validation: Validation;
  organizationId: string;
  /** True when another request began the run. */
  isJoined: boolean;
}

/** Begins a run, or joins the one under way. Throws 409 above the organization's limit of runs. */
async function begin(
  transaction: Handle,
  endpoint: PrivateEndpoint,
  workspaceId: string,
  activates: boolean,
): Promise<StartedRun> {
  const id = newUuid();
  const store = createValidationStore(transaction);
  const tested = { endpointId: endpoint.id, workspaceId, digest: digestOf(endpoint) };
  const others = await store.lockOpenCount(endpoint.organizationId, tested);
  if (others >= MAX_OPEN_VALIDATIONS) throw tooMany();
  const validation = await store.begin({
    ...tested,
    id,
    activates,
    // This stays the result when no worker picks the run up.
    checks: [{ name: 'base_url_allowed', passed: false, reason: 'not_validated' }],
  });
  return { validation, organizationId: endpoint.organizationId, isJoined: validation.id !== id };
}

function tooMany(): AppError {
  const message = `would begin one more than the ${MAX_OPEN_VALIDATIONS} validations that an organization may have running`;
  const issues = [{ path: 'body', message }];
  return new AppError('conflict', { reason: 'too_many_validations', retryable: true, issues });
}

/**
 * Starts a run unless it runs already. Joined runs are started too, because the process that began one may have died
 * before.
 */
async function start(
  { knex, runs }: ValidationServiceDeps,
  { validation, organizationId, isJoined }: StartedRun,
): Promise<void> {
  const { id: validationId, endpointId, workspaceId } = validation;
  try {
    await runs.startValidation({ validationId, endpointId, organizationId, workspaceId });
  } catch (cause) {
    if (!isJoined) await createValidationStore(knex).withdraw(validationId);
    throw new AppError('unavailable', { cause });
  }
}

/** Waits for the end of the run. Returns undefined when it is still running. */
async function waitForEnd(
  { knex, waitMs = WAIT_MS }: ValidationServiceDeps,
  id: string,
  gone: AbortSignal,
): Promise<Validation | undefined> {
  const store = createValidationStore(knex);
  const waitEndsAtMs = performance.now() + waitMs;
  for (;;) {
    const validation = await store.find(id);
    // The request that began the run could not start it and has withdrawn it.
    if (validation === null) throw new AppError('unavailable');
    if (validation.state !== 'running') return validation;
    if (performance.now() >= waitEndsAtMs) return undefined;
    await delay(POLL_EVERY_MS, undefined, { signal: gone }).catch(() => {
      throw new AppError('client_cancelled');
    });
  }
}

async function requireWorkspace(knex: Handle, organizationId: string, workspaceId: string): Promise<void> {
  const workspace = await createAccountStore(knex).findWorkspace(workspaceId);
  if (workspace?.organizationId !== organizationId)
    throw new AppError('invalid_argument', { reason: 'workspace_not_found' });
}

function isCurrent(endpoint: PrivateEndpoint, { digest, createdAt, finishedAt }: Validation): boolean {
  const ageMs = Date.now() - (finishedAt ?? createdAt).getTime();
  return digest === digestOf(endpoint) && ageMs < VALIDATION_FRESH_MS;
}
