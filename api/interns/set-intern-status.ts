/** Handles `PUT /interns/{internId}/status`: stores the state that an intern's host reports. */
import type { InternStatusBody } from '../../contract/interns/intern.ts';
import { operations } from '../../contract/operations.ts';
import type { InternState } from '../../domain/interns/intern-record.ts';
import { presentIntern } from './present-intern.ts';
import { defineRoute } from '../http/route.ts';

export const setInternStatus = defineRoute(
  operations.setInternStatus,
  async ({ principal, client, params, body }, { services }) => {
    const intern = await services.interns.report({ principal, client }, params.internId, toInternState(body));
    return { status: 200, body: presentIntern(intern) };
  },
);

function toInternState({
  status,
  progress,
  hostname,
  last_failure_message: failure,
}: InternStatusBody): InternState {
  return {
    status,
    progress: progress
      ? { stepLabel: progress.step_label, stepNumber: progress.step_number, totalSteps: progress.total_steps }
      : null,
    hostname: hostname ?? null,
    lastFailureMessage: failure ?? null,
  };
}
