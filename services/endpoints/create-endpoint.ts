import { createAccountStore } from '../../db/account-store.ts';
import { createAuditStore } from '../../db/audit-store.ts';
import type { CatalogRows } from '../../db/catalog-store.ts';
import type { Handle } from '../../db/connection.ts';
import { createEndpointStore, type NamedEndpoint } from '../../db/endpoints/endpoint-store.ts';
import { completePricing } from '../../domain/endpoints/complete-pricing.ts';
import { MAX_PRIVATE_ENDPOINTS } from '../../domain/endpoints/private-endpoint.ts';
import { AppError } from '../../domain/errors.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Actor } from '../../domain/principal.ts';
import { answerOnce, findEarlierAnswer, type Answer, type OnceAnswer } from '../idempotency/answer-once.ts';
import { found } from '../workspaces/find-workspace.ts';
import { findPublicTwin } from './catalog-offer.ts';
import type { CheckUrl } from './check-base-url.ts';
import { checkEndpointDraft, type EndpointDraft } from './check-endpoint-draft.ts';
import { invalidArgument } from './invalid-argument.ts';

/**
 * Validates an endpoint that was just created, and activates it when it passes. Resolves with the answer to the request
 * that created it. The signal is aborted when the caller leaves.
 */
export type StartActivation = (
  endpoint: NamedEndpoint,
  terms: { workspaceId: string; actor: Actor; gone: AbortSignal },
) => Promise<Answer>;

export interface CreateEndpointDeps {
  knex: Handle;
  catalog: { load(): Promise<CatalogRows> };
  checkUrl: CheckUrl;
  /** Makes this process read again what the organization brought. */
  forgetBrought(organizationId: string): void;
  /** Absent: requests that ask for it are answered 503. */
  startActivation?: StartActivation;
}

export interface CreateEndpointOptions {
  idempotency?: { key: string; requestHash: string };
  /** Renders the answer. */
  respond(endpoint: NamedEndpoint): Answer;
  /** Aborted when the caller leaves. */
  gone: AbortSignal;
}

const OPERATION = 'createPrivateEndpoint';

/**
 * Creates a draft. 422 names all rules that it breaks, or says that the organization has as many endpoints as it may. A
 * repeated request shows the endpoint as it is now and starts no activation; 404 where it was deleted meanwhile.
 */
export async function createEndpoint(
  deps: CreateEndpointDeps,
  actor: Actor,
  draft: EndpointDraft,
  { idempotency, respond, gone }: CreateEndpointOptions,
): Promise<OnceAnswer> {
  const { knex, startActivation } = deps;
  const { organizationId } = actor;
  const scope = idempotency && { ...idempotency, organizationId, workspaceId: null, operation: OPERATION };
  const once = { knex, scope };
  const show = async (id: string): Promise<NamedEndpoint> =>
    found(await createEndpointStore(knex).find(organizationId, id));
  const repeat = async (earlier: OnceAnswer): Promise<OnceAnswer> => ({
    ...respond(await show(idIn(earlier))),
    replayed: true,
  });
  const earlier = await findEarlierAnswer(once);
  if (earlier !== undefined) return repeat(earlier);
  if (draft.activateIn !== undefined) {
    if (startActivation === undefined) throw new AppError('unavailable');
    await requireWorkspace(knex, organizationId, draft.activateIn);
  }
  const made = await insertOnce(deps, once, actor, draft);
  if (made.replayed) return repeat(made);
  deps.forgetBrought(organizationId);
  const endpoint = await show(idIn(made));
  if (draft.activateIn === undefined || startActivation === undefined) {
    return { ...respond(endpoint), replayed: false };
  }
  const answer = await startActivation(endpoint, { workspaceId: draft.activateIn, actor, gone });
  return { ...answer, replayed: false };
}

/** Inserts the draft, and remembers its id in place of an answer. */
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
    pricing: completePricing(draft.pricing, findPublicTwin(rows, { ...checked, providerSlug })?.pricing),
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
    // The last free place may have been taken by this very request.
    const twin = await findEarlierAnswer(once);
    if (twin === undefined) throw error;
    return twin;
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
