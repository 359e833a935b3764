/** Checks from memory whether an organization is in the programme of interns. */
import { isPostgresDown } from '../../db/postgres/outage.ts';
import { AppError } from '../../domain/errors.ts';
import { INTERNS_ENTITLEMENT } from '../../domain/entitlement.ts';
import { createRegionalHostTest } from '../../domain/interns/regional-host.ts';
import { createNoticedCache, type Notices } from '../../platform/noticed-cache.ts';

export interface ProgrammeGateOptions {
  store: { hasEntitlement(organizationId: string, entitlement: string): Promise<boolean> };
  notices: Notices;
  /** The public URL of the deployment. Regional hosts are its subdomains. */
  publicUrl: string;
  now?: () => number;
}

const MAX_ORGANIZATIONS = 50_000;

interface Membership {
  isIn: boolean;
}

/** Decides which callers reach the operations of interns and vaults. */
export function createProgrammeGate(options: ProgrammeGateOptions) {
  const { store, notices, publicUrl, now } = options;
  const isRegional = createRegionalHostTest(publicUrl);
  const cache = createNoticedCache<Membership>({
    read: async (id) => ({ isIn: await store.hasEntitlement(id, INTERNS_ENTITLEMENT) }),
    notices,
    isDown: isPostgresDown,
    maxEntries: MAX_ORGANIZATIONS,
    refreshesAhead: true,
    now,
  });
  const requireAccess = (membership: Membership | null, hostHeader = ''): void => {
    if (membership?.isIn !== true) throw new AppError('not_found');
    if (isRegional(hostHeader)) throw new AppError('regional_host_not_supported');
  };
  return {
    /**
     * Throws the 404 of an unknown intern for an organization that is not in the programme, then the 403 for a regional
     * host. Returns a promise only when the organization is not cached.
     */
    admit(organizationId: string, hostHeader: string | undefined): void | Promise<void> {
      const known = cache.peek(organizationId);
      if (known !== undefined) return requireAccess(known, hostHeader);
      return cache.get(organizationId).then((membership) => requireAccess(membership, hostHeader));
    },
    /** Removes an organization from the cache, after a notice on `sluice_organizations`. */
    forget: cache.forget,
    /** Empties the cache, because notices may have been missed. */
    forgetAll: cache.forgetAll,
  };
}

export type ProgrammeGate = ReturnType<typeof createProgrammeGate>;
