/** Shows what is wrong in an organization now. */
import type { problemOperations, ProblemsBody } from '../../contract/insights/problems.ts';
import { nanosToUsd } from '../../domain/money.ts';
import type { FoundProblems, ProblemService } from '../../services/insights/problem-service.ts';
import type { LimitNearEnd } from '../../services/ledger/budget-alerts/limits-near-end.ts';
import type { RoutesOf } from '../http/route.ts';

interface Used {
  problems: ProblemService;
  models: { providerName(slug: string): string };
}

export const problemRoutes: RoutesOf<typeof problemOperations, Used> = {
  /** Handles `GET /organization/problems`: lists the present problems of the organization. */
  listProblems: async ({ principal, gone }, { services }) => {
    const found = await services.problems.list(principal.organizationId, gone());
    return { status: 200, body: { data: presentProblems(found, services.models.providerName) } };
  },
};

function presentProblems(
  { limits, destinations, webhooks, jobs, circuits, hasMore }: FoundProblems,
  providerName: (slug: string) => string,
): ProblemsBody {
  return {
    limits: limits.map(presentLimit),
    destinations: destinations.map(({ id, workspaceId, name, type, state, reason, failingSince }) => ({
      id,
      workspace_id: workspaceId,
      name,
      type,
      state,
      reason,
      failing_since: failingSince?.toISOString() ?? null,
    })),
    webhooks: webhooks.map(({ workspaceId, workspaceName, url, failingSince, lastFailedAt }) => ({
      workspace_id: workspaceId,
      workspace_name: workspaceName,
      url,
      failing_since: failingSince.toISOString(),
      last_failed_at: lastFailedAt.toISOString(),
    })),
    jobs: jobs.map(({ jobId, workspaceId, model, provider, state, sentAt }) => ({
      id: jobId,
      workspace_id: workspaceId,
      model,
      provider_name: providerName(provider),
      state,
      sent_at: sentAt.toISOString(),
    })),
    circuits: circuits.map(({ endpointId, model, provider, isOwn, openedAt, openUntil }) => ({
      endpoint_id: endpointId,
      model,
      provider_name: providerName(provider),
      is_own: isOwn,
      opened_at: openedAt.toISOString(),
      open_until: openUntil.toISOString(),
    })),
    has_more: hasMore,
  };
}

function presentLimit(limit: LimitNearEnd): ProblemsBody['limits'][number] {
  const { spent, limit: whole, endsAt } = limit.spending;
  return {
    payer: limit.payer,
    payer_id: limit.shownId,
    name: limit.name,
    workspace_id: limit.workspaceId,
    reset_interval: limit.interval,
    limit_usd: nanosToUsd(whole),
    spent_usd: nanosToUsd(spent),
    period_end: endsAt?.toISOString() ?? null,
  };
}
