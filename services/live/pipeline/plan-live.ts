/** Decides which targets serve a live request, in which order. */
import type { LiveCapability } from '../../../domain/catalog/catalog.ts';
import type { Issue } from '../../../domain/errors.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { EndpointJudge } from '../../routing/plan-targets.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import type { Workspace } from '../../../domain/accounts/workspace.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { findReferences, withReferences } from '../vendor-references/find-references.ts';
import { planTargets } from '../../routing/plan-targets.ts';
import type { LiveRequest } from './live-operation.ts';

export interface LivePlan {
  /** The targets, best first. */
  targets: [Target, ...Target[]];
  settings: Workspace;
}

/** Finds the targets of a request and checks it. Throws 404 and 400. Reserves nothing and calls no upstream. */
export async function planLive(
  deps: LiveDeps,
  capability: LiveCapability,
  { principal: caller, body }: Pick<LiveCall<RoutableBody>, 'principal' | 'body'>,
  request: Pick<
    LiveRequest<never, never>,
    'routable' | 'check' | 'issuesAt' | 'costAt' | 'highestPricesAt' | 'searched' | 'urls'
  >,
): Promise<LivePlan> {
  const settings = await deps.settingsOf(caller.workspaceId);
  const found = deps.ownViews.of(caller);
  const view = found instanceof Promise ? await found : found;
  const own = view === null ? null : { view, caller };
  const judge = refuseReferences(request, findReferences(request.searched ?? body, request.urls));
  const targets = planTargets(deps, capability, request.routable, settings, judge, own);
  request.check?.();
  return { targets, settings };
}

/**
 * Returns a judge that keeps references to stored objects and to addresses away from the operator's credentials. A
 * target with the customer's own credential may get them (ADR 0074).
 */
function refuseReferences(judge: EndpointJudge, references: readonly Issue[]): EndpointJudge {
  if (references.length === 0) return judge;
  return {
    ...judge,
    issuesAt(target) {
      const issues = judge.issuesAt?.(target) ?? [];
      return target.own === undefined ? withReferences(references, issues) : issues;
    },
  };
}
