import { isAway } from '../../db/outage.ts';
import type { Brought } from '../../db/endpoints/brought-read-model.ts';
import type { Principal } from '../../domain/principal.ts';
import { createNoticedCache, type Notices } from '../../platform/noticed-cache.ts';
import type { CandidateDeps } from './own-candidates.ts';
import { createOwnView, type OwnView } from './own-view.ts';

/** What workspaces brought, from memory. Nothing brought is remembered too. */
export interface OwnViews {
  /** Returns the view of the key's workspace; null where it brought nothing. Reads the database only when not cached. */
  of(principal: Pick<Principal, 'organizationId' | 'workspaceId'>): OwnView | null | Promise<OwnView | null>;
  /** A notice on `sluice_endpoints` named the organization. */
  forget(organizationId: string): void;
  /** Notices may have been missed. */
  forgetAll(): void;
}

export interface OwnViewsOptions extends CandidateDeps {
  store: { find(organizationId: string): Promise<Brought> };
  notices: Notices;
  now?: () => number;
}

const MAX_ORGANIZATIONS = 10_000;

interface OrganizationViews {
  brought: Brought;
  byWorkspace: Map<string, OwnView | null>;
}

export function createOwnViews(options: OwnViewsOptions): OwnViews {
  const { store, notices, now } = options;
  const cache = createNoticedCache<OrganizationViews>({
    read: async (organizationId) => ({
      brought: await store.find(organizationId),
      byWorkspace: new Map(),
    }),
    notices,
    isAway,
    maxEntries: MAX_ORGANIZATIONS,
    ...(now === undefined ? {} : { now }),
  });
  const viewIn = (views: OrganizationViews | null, workspaceId: string): OwnView | null => {
    if (views === null) return null;
    const { brought, byWorkspace } = views;
    let view = byWorkspace.get(workspaceId);
    if (view === undefined)
      byWorkspace.set(workspaceId, (view = createOwnView(options, brought, workspaceId)));
    return view;
  };
  return {
    of({ organizationId, workspaceId }) {
      const known = cache.peek(organizationId);
      if (known !== undefined) return viewIn(known, workspaceId);
      return cache.get(organizationId).then((views) => viewIn(views, workspaceId));
    },
    forget: cache.forget,
    forgetAll: cache.forgetAll,
  };
}
