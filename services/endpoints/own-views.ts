/** Caches the own keys and private endpoints of workspaces, for routing. */
import type { OwnResources, ResourceOwner } from '../../db/endpoints/own-resources-read-model.ts';
import { isPostgresDown } from '../../db/postgres/outage.ts';
import { createNoticedCache, type Notices } from '../../platform/noticed-cache.ts';
import type { CandidateDeps } from './own-candidates.ts';
import { createOwnView, type OwnView } from './own-view.ts';

export interface OwnViewsOptions extends CandidateDeps {
  store: { find(workspace: ResourceOwner): Promise<OwnResources> };
  notices: Notices;
  now?: () => number;
}

const MAX_WORKSPACES = 20_000;
/** Limits the memory of all views, of which the encrypted secrets are the largest part. */
const MAX_BYTES = 128 * 1024 * 1024;
const BYTES_OF_ONE = 2_048;

interface Remembered {
  view: OwnView | null;
  bytes: number;
}

/** Caches the endpoints and keys of workspaces, and which workspaces have none. */
export function createOwnViews(options: OwnViewsOptions) {
  const { store, notices, now } = options;
  const cache = createNoticedCache<Remembered>({
    async read(key) {
      const own = await store.find(workspaceIn(key));
      return { view: createOwnView(options, own), bytes: bytesOf(own) };
    },
    notices,
    isDown: isPostgresDown,
    maxEntries: MAX_WORKSPACES,
    maxSize: MAX_BYTES,
    sizeOf: ({ bytes }) => bytes,
    refreshesAhead: true,
    now,
  });
  return {
    /**
     * Returns the view of the workspace; null when it has no endpoints and keys. Reads the database only for a
     * workspace that made no request for a while.
     */
    of({ organizationId, workspaceId }: ResourceOwner): OwnView | null | Promise<OwnView | null> {
      const key = `${organizationId}/${workspaceId}`;
      const known = cache.peek(key);
      if (known !== undefined) return known.view;
      return cache.get(key).then((read) => read?.view ?? null);
    },
    /** Drops an organization's views, after a notice on `sluice_endpoints`. */
    forget: (organizationId: string): void => cache.forgetEach((key) => key.startsWith(`${organizationId}/`)),
    /** Drops all views, because notices may have been missed. */
    forgetAll: cache.forgetAll,
  };
}

export type OwnViews = ReturnType<typeof createOwnViews>;

function workspaceIn(key: string): ResourceOwner {
  const [organizationId = '', workspaceId = ''] = key.split('/');
  return { organizationId, workspaceId };
}

function bytesOf({ credentials, endpoints, origins }: OwnResources): number {
  const secrets = credentials.reduce((sum, { sealed }) => sum + sealed.length, 0);
  return BYTES_OF_ONE * (1 + credentials.length + endpoints.length) + secrets + 64 * origins.length;
}
