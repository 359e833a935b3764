import { getDaemonKeys } from './get-daemon-keys.ts';
import { signDaemonAccess, signDaemonRequest } from './sign-daemon-request.ts';

/** Answers the operations that let an intern's daemon know who asks. */
export const daemonRoutes = { signDaemonRequest, signDaemonAccess, getDaemonKeys };
