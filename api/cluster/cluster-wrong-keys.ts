/** Counts the wrong keys that each address sends to all API processes together. */
import { createWrongKeys } from '../../services/accounts/identity/wrong-keys.ts';
import type { Child } from './child.ts';

export interface ClusterWrongKeys {
  /** Counts the wrong keys of the child, and tells it which addresses to refuse. Returns the child. */
  watch(child: Child): Child;
}

export function createClusterWrongKeys(): ClusterWrongKeys {
  const wrongKeys = createWrongKeys();
  const living = new Set<Child>();
  const add = (address: string): void => {
    wrongKeys.add(address);
    const forMs = wrongKeys.refusedForMs(address);
    if (forMs === 0) return;
    for (const child of living) child.send({ kind: 'refuse-keys', address, forMs });
  };
  return {
    watch(child) {
      living.add(child);
      child.onWrongKey(add);
      void child.exited.then(() => living.delete(child));
      return child;
    },
  };
}
