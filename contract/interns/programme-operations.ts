import { daemonOperations } from './daemon.ts';
import { egressOperations } from './egress-operations.ts';
import { internOperations } from './intern-operations.ts';
import { vaultOperations } from './vault-operations.ts';

/** Every operation on interns, their secrets, their daemons and the requests that they send. */
export const programmeOperations = {
  ...internOperations,
  ...vaultOperations,
  ...daemonOperations,
  ...egressOperations,
};
