/** Creates a private endpoint as a draft. */
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { CatalogRows } from '../../db/catalog/catalog-store.ts';
import type { Handle } from '../../db/connection.ts';
import { createEndpointStore, type NamedEndpoint } from '../../db/endpoints/endpoint-store.ts';
import { completePricing } from '../../domain/endpoints/complete-pricing.ts';
import { MAX_PRIVATE_ENDPOINTS } from '../../domain/endpoints/private-endpoint.ts';
import { AppError } from '../../domain/errors.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Logger } from '../../platform/logger.ts';
import { answerOnce, findEarlierAnswer, type Answer, type OnceAnswer } from '../answer-once.ts';
import { requireFound } from '../require-found.ts';
import { findMatchingPublicEndpoint } from './catalog-offer.ts';
import type { CheckUrl } from './check-base-url.ts';
import { checkEndpointDraft, type EndpointDraft } from './check-endpoint-draft.ts';
import { invalidArgument } from './invalid-argument.ts';
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
  idempotency?: { key: string; requestHash: string };
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
  const scope = idempotency && { ...idempotency, organizationId, workspaceId: null, operation: OPERATION };
  const once = { knex, scope };
  const show = async (answer: OnceAnswer): Promise<NamedEndpoint> =>
    requireFound(await createEndpointStore(knex).find(organizationId, idIn(answer)));
  const repeat = async (earlier: OnceAnswer): Promise<CreatedEndpoint> => ({
    endpoint: await show(earlier),
    replayed: true,
    activation: null,
  });
  const earlier = await findEarlierAnswer(once);
  if (earlier !== undefined) return repeat(earlier);
  if (workspaceId !== undefined) await requireWorkspace(knex, organizationId, workspaceId);
  const made = await insertOnce(deps, once, actor, draft);
  if (made.replayed) return repeat(made);
  deps.forgetOwnResources(organizationId);
  const endpoint = await show(made);
  if (workspaceId === undefined) return { endpoint, replayed: false, activation: null };
  try {
    const activation = await deps.validations.startActivation({ endpoint, workspaceId, gone });
    deps.forgetOwnResources(organizationId);
    return { endpoint: await show(made), replayed: false, activation };
  } catch (error) {
    const activation = toBrokenActivation(error);
    if (activation.code === 'unavailable') {
      deps.logger.error({ err: error, endpointId: endpoint.id }, 'the activation of a new endpoint failed');
    }
    return { endpoint, replayed: false, activation };
  }
}

/** Inserts the draft, and stores its id in place of an answer. */
async function insertOnce(
  deps: CreateEndpointDeps,
  once: Parameters<typeof answerOnce>[0],
  actor: Actor,
  draft: EndpointDraft,
): Promise<OnceAnswer> {
  const rows = await deps.catalog.load();
  const checked = checkEndpointDraft(rows, deps.checkUrl, draft);
  const { providerSlug } = draft;
  const endpoint = {
    ...configurationOf(draft),
    ...checked,
    id: newUuid(),
    organizationId: actor.organizationId,
    providerSlug,
    pricing: completePricing(
      draft.pricing,
      findMatchingPublicEndpoint(rows, { ...checked, providerSlug })?.pricing,
    ),
  };
  try {
    return await answerOnce(once, async (transaction, remember) => {
      const store = createEndpointStore(transaction);
      if ((await store.lockCount(actor.organizationId)) >= MAX_PRIVATE_ENDPOINTS) throw tooMany();
      await store.insert(endpoint);
      const entry = { action: OPERATION, target: `private-endpoints/${endpoint.id}` };
      await createAuditStore(transaction).insert(actor, entry);
      const answer = { status: 201, body: { id: endpoint.id } };
      await remember(answer);
      return answer;
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_argument') throw error;
    // An identical request may have taken the last free place meanwhile.
    const earlierAnswer = await findEarlierAnswer(once);
    if (earlierAnswer === undefined) throw error;
    return earlierAnswer;
  }
}

function configurationOf(draft: EndpointDraft) {
  const { upstreamModelId, baseUrl, declaredRegion, declaredZdr, declaredParameters } = draft;
  return { upstreamModelId, baseUrl, declaredRegion, declaredZdr, declaredParameters };
}

function idIn({ body }: Answer): string {
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
