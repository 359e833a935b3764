/** Creates a private endpoint as a draft. */
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { CatalogRows } from '../../db/catalog/catalog-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import {
  createEndpointStore,
  type NamedEndpoint,
  type NewEndpoint,
} from '../../db/endpoints/endpoint-store.ts';
import { completePricing } from '../../domain/endpoints/complete-pricing.ts';
import { MAX_PRIVATE_ENDPOINTS } from '../../domain/endpoints/private-endpoint.ts';
import type { AppError } from '../../domain/errors.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Logger } from '../../platform/logger.ts';
import { doOnce, type IdempotencyClaim, type OnceAnswer } from '../answer-once.ts';
import { requireFound } from '../require-found.ts';
import { findMatchingPublicEndpoint } from './catalog-offer.ts';
import type { CheckUrl } from './check-base-url.ts';
import { checkEndpointDraft, type EndpointDraft, invalidArgument } from './check-endpoint-draft.ts';
import { type BrokenActivation, toBrokenActivation } from './broken-activation.ts';
import type { ActivationOutcome, ValidationService } from './validation/validation-service.ts';

export interface CreateEndpointDeps {
  knex: Handle;
  catalog: { load(): Promise<CatalogRows> };
  checkUrl: CheckUrl;
  /** Makes this process read the organization's endpoints and keys again. */
  forgetOwnResources(organizationId: string): void;
  /** Starts the checks of new endpoints that are to be activated. */
  validations: Pick<ValidationService, 'startActivation'>;
  logger: Pick<Logger, 'error'>;
}

export interface CreateEndpointOptions {
  idempotency?: IdempotencyClaim | undefined;
  /** Aborts when the caller disconnects. */
  gone: AbortSignal;
}

export interface CreatedEndpoint {
  /** The endpoint at the time of the answer. */
  endpoint: NamedEndpoint;
  /** True when an earlier request had created it. */
  replayed: boolean;
  /** Null when no activation was requested, and for a repeated request. */
  activation: ActivationOutcome | BrokenActivation | null;
}

const OPERATION = 'createPrivateEndpoint';

/**
 * Creates a draft and, on request, activates it when its checks pass.
 *
 * Throws a 422 with all rules that the draft breaks, also above the organization's limit of endpoints. A repeated
 * request returns the endpoint in its current state and starts no activation, or throws 404 when it was deleted
 * meanwhile. An error that interrupts the activation is returned together with the draft.
 */
export async function createEndpoint(
  deps: CreateEndpointDeps,
  actor: Actor,
  draft: EndpointDraft,
  { idempotency, gone }: CreateEndpointOptions,
): Promise<CreatedEndpoint> {
  const { knex } = deps;
  const { activateIn: workspaceId } = draft;
  const { organizationId } = actor;
  const answer = await doOnce(
    {
      knex,
      scope: { organizationId, workspaceId: null, operation: OPERATION },
      check: () => checkDraft(deps, organizationId, draft),
      make: (transaction, endpoint) => insert(transaction, actor, endpoint),
    },
    // The answer that is stored is only the id: a retry shows the endpoint in its current state.
    { idempotency, respond: (id) => ({ status: 201, body: { id } }) },
  );
  const show = async (): Promise<NamedEndpoint> =>
    requireFound(await createEndpointStore(knex).find(organizationId, idIn(answer)));
  if (answer.replayed) return { endpoint: await show(), replayed: true, activation: null };
  deps.forgetOwnResources(organizationId);
  const endpoint = await show();
  if (workspaceId === undefined) return { endpoint, replayed: false, activation: null };
  try {
    const activation = await deps.validations.startActivation({ endpoint, workspaceId, gone });
    deps.forgetOwnResources(organizationId);
    return { endpoint: await show(), replayed: false, activation };
  } catch (error) {
    const activation = toBrokenActivation(error);
    if (activation.code === 'unavailable') {
      deps.logger.error({ err: error, endpointId: endpoint.id }, 'the activation of a new endpoint failed');
    }
    return { endpoint, replayed: false, activation };
  }
}

/** Checks a draft, and returns the endpoint that it describes. */
async function checkDraft(
  deps: CreateEndpointDeps,
  organizationId: string,
  draft: EndpointDraft,
): Promise<NewEndpoint> {
  if (draft.activateIn !== undefined) await requireWorkspace(deps.knex, organizationId, draft.activateIn);
  const rows = await deps.catalog.load();
  const checked = checkEndpointDraft(rows, deps.checkUrl, draft);
  const { providerSlug } = draft;
  return {
    ...configurationOf(draft),
    ...checked,
    id: newUuid(),
    organizationId,
    providerSlug,
    pricing: completePricing(
      draft.pricing,
      findMatchingPublicEndpoint(rows, { ...checked, providerSlug })?.pricing,
    ),
  };
}

/** Stores a new endpoint, and returns its id. */
async function insert(transaction: Handle, actor: Actor, endpoint: NewEndpoint): Promise<string> {
  const store = createEndpointStore(transaction);
  if ((await store.lockCount(actor.organizationId)) >= MAX_PRIVATE_ENDPOINTS) throw tooMany();
  await store.insert(endpoint);
  const entry = { action: OPERATION, target: `private-endpoints/${endpoint.id}` };
  await createAuditStore(transaction).insert(actor, entry);
  return endpoint.id;
}

function configurationOf(draft: EndpointDraft) {
  const { upstreamModelId, baseUrl, declaredRegion, declaredZdr, declaredParameters } = draft;
  return { upstreamModelId, baseUrl, declaredRegion, declaredZdr, declaredParameters };
}

function idIn({ body }: OnceAnswer): string {
  return (body as { id: string }).id;
}

async function requireWorkspace(knex: Handle, organizationId: string, id: string): Promise<void> {
  const workspace = await createAccountStore(knex).findWorkspace(id);
  if (workspace?.organizationId === organizationId) return;
  throw invalidArgument('workspace_not_found', {
    path: 'body.activate.workspace_id',
    message: 'is no workspace of the organization',
  });
}

function tooMany(): AppError {
  return invalidArgument('endpoint_limit_reached', {
    path: 'body',
    message: `would be one more than the ${MAX_PRIVATE_ENDPOINTS} private endpoints that an organization may have`,
  });
}
