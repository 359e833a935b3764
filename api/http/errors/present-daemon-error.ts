import {
  type DaemonErrorEnvelope,
  type DaemonErrorStatus,
  daemonErrorTable,
} from '../../../contract/interns/daemon-error.ts';
import type { AppError } from '../../../domain/errors.ts';
import { presentError } from './present-error.ts';

/**
 * Presents an error of daemon signing. Its table is closed: a status that is not in it, such as the 503 of an outage,
 * becomes the 500.
 */
export function presentDaemonError(error: AppError): {
  status: DaemonErrorStatus;
  body: DaemonErrorEnvelope;
} {
  const usual = presentError(error);
  const status = isOfTable(usual.status) ? usual.status : 500;
  if (error.code !== 'regional_host_not_supported') {
    return { status, body: { error: { code: status, ...daemonErrorTable[status] } } };
  }
  const { message, metadata } = usual.body.error;
  const { reason, retryable } = metadata;
  return { status, body: { error: { code: status, message, metadata: { reason, retryable } } } };
}

function isOfTable(status: number): status is DaemonErrorStatus {
  return status in daemonErrorTable;
}
