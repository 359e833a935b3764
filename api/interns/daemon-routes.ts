import { getDaemonKeys } from './get-daemon-keys.ts';
import { signDaemonAccess, signDaemonRequest } from './sign-daemon-request.ts';

/** Lists the routes with which an intern's daemon verifies its callers. */
export const daemonRoutes = { signDaemonRequest, signDaemonAccess, getDaemonKeys };
