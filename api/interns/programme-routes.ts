import { daemonRoutes } from './daemon-routes.ts';
import { egressRoutes } from './egress-routes.ts';
import { internRoutes } from './intern-routes.ts';
import { vaultRoutes } from './vault-routes.ts';

/** Lists the routes of the operations on interns, their secrets, their daemons and the requests that they send. */
export const programmeRoutes = {
  ...internRoutes,
  ...vaultRoutes,
  ...daemonRoutes,
  ...egressRoutes,
};
