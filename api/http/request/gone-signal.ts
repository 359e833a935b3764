import type { ServerResponse } from 'node:http';
import { CutOffError, wasCutOff } from '../../../platform/cut-off.ts';

/**
 * Returns a signal that aborts if the connection closes before the answer is sent. Its reason is a `CutOffError` if
 * this process closed the connection.
 */
export function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort(reasonOf(response));
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(reasonOf(response));
  });
  return controller.signal;
}

function reasonOf(response: ServerResponse): CutOffError | undefined {
  return wasCutOff(response) || wasCutOff(response.req.socket) ? new CutOffError() : undefined;
}
