import type { PayerKind } from '../../../domain/ceiling.ts';
import type { Principal } from '../../../domain/principal.ts';
import { createPayer, hasRecent, type Payer, type Window } from './payer.ts';

/** Returns the id of each payer of a request, by its kind. */
export function payerIds({
  keyId,
  organizationId,
  workspaceId,
}: Principal): Record<PayerKind, number | string> {
  return { key: keyId, organization: organizationId, workspace: workspaceId };
}

/** Creates the memory of payers that have limits and recent requests. */
export function createPayers() {
  const byKind: Record<PayerKind, Map<number | string, Payer>> = {
    key: new Map(),
    organization: new Map(),
    workspace: new Map(),
  };
  const all = Object.values(byKind);
  return {
    find: (kind: PayerKind, id: number | string): Payer | undefined => byKind[kind].get(id),
    /** Returns the payer and adds it to memory when it is new. */
    use(kind: PayerKind, id: number | string, nowMs: number): Payer {
      const known = byKind[kind].get(id);
      if (known !== undefined) {
        known.lastUsedMs = nowMs;
        return known;
      }
      const payer = createPayer(kind, id, nowMs);
      byKind[kind].set(id, payer);
      return payer;
    },
    windows: (): Window[] => all.flatMap((payers) => [...payers.values()].flatMap(({ windows }) => windows)),
    /**
     * Removes payers last used before this time. Keeps payers with requests in flight, or with amounts that a read has
     * not confirmed yet.
     */
    forgetIdle(beforeMs: number): void {
      for (const payers of all) {
        for (const [id, payer] of payers) {
          if (payer.lastUsedMs < beforeMs && payer.users === 0 && payer.inFlight === 0 && !hasRecent(payer))
            payers.delete(id);
        }
      }
    },
    size: (): number => all.reduce((sum, { size }) => sum + size, 0),
  };
}

export type Payers = ReturnType<typeof createPayers>;
