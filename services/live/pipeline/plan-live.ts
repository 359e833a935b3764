/** Decides which targets serve a live request, in which order. */
import type { LiveCapability } from '../../../domain/catalog/catalog.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { Workspace } from '../../../domain/accounts/workspace.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
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
  { principal: caller }: Pick<LiveCall<unknown>, 'principal'>,
  request: Pick<LiveRequest<never, never>, 'routable' | 'check' | 'issuesAt' | 'costAt'>,
): Promise<LivePlan> {
  const settings = await deps.settingsOf(caller.workspaceId);
  const found = deps.ownViews.of(caller);
  const view = found instanceof Promise ? await found : found;
  const own = view === null ? null : { view, caller };
  const targets = planTargets(deps, capability, request.routable, settings, request, own);
  request.check?.();
  return { targets, settings };
}
