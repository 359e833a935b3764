/** Answers the operations on interns. */
import type { InternRecord, InternStatusBody } from '../../contract/interns/intern.ts';
import type { internOperations } from '../../contract/interns/interns.ts';
import { listOf } from '../../contract/query-values.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import type {
  Intern,
  InternProgress,
  InternState,
  InternStatus,
} from '../../domain/interns/intern-record.ts';
import type { MadeIntern } from '../../services/interns/create-intern.ts';
import type { InternService } from '../../services/interns/intern-service.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import { requireUpdateFields } from '../http/request/require-update-fields.ts';
import type { RoutesOf } from '../http/route.ts';

export const internRoutes: RoutesOf<typeof internOperations, { interns: InternService }> = {
  /** Handles `POST /interns`: registers an intern and makes its vault. */
  createIntern: (call, { services }) => {
    const draft = withoutUndefined({
      name: call.body.name,
      description: call.body.description ?? null,
      instructions: call.body.instructions ?? null,
      attachedVaultId: call.body.vault_id ?? null,
      workspaceId: call.body.workspace_id,
    });
    return answerIdempotently(
      call,
      ({ intern, isNew }: MadeIntern) => ({ status: isNew ? 201 : 200, body: presentIntern(intern) }),
      (once) => services.interns.create(call, draft, once),
    );
  },

  /** Handles `GET /interns`: lists the interns of a workspace. */
  listInterns: async ({ principal, query }, { services }) => {
    const { interns, nextCursor } = await services.interns.list(principal, {
      limit: query.limit,
      // The schema allows known statuses only.
      statuses: query.status === undefined ? undefined : (listOf(query.status) as InternStatus[]),
      startingAfter: query.starting_after,
      workspaceId: query.workspace_id,
    });
    const data = interns.map(presentIntern);
    return { status: 200, body: { data, has_more: nextCursor !== undefined, next_cursor: nextCursor } };
  },

  /** Handles `GET /interns/{internId}`: returns one intern. */
  getIntern: async ({ principal, params }, { services }) => ({
    status: 200,
    body: presentIntern(await services.interns.get(principal, params.internId)),
  }),

  /** Handles `PATCH /interns/{internId}`: changes the fields of an intern that the body names. */
  updateIntern: async (call, { services }) => {
    const { name, description, instructions, model } = call.body;
    const changes = requireUpdateFields(withoutUndefined({ name, description, instructions, model }));
    const intern = await services.interns.update(call, call.params.internId, changes);
    return { status: 200, body: presentIntern(intern) };
  },

  /** Handles `DELETE /interns/{internId}`: deletes an intern with its keys, its vault and its secrets. */
  deleteIntern: async (call, { services }) => {
    await services.interns.remove(call, call.params.internId);
    return { status: 202, body: { deleting: true } };
  },

  /** Handles `PUT /interns/{internId}/status`: stores the state that an intern's host reports. */
  setInternStatus: async (call, { services }) => {
    const intern = await services.interns.report(call, call.params.internId, toInternState(call.body));
    return { status: 200, body: presentIntern(intern) };
  },

  /** Handles `PUT /interns/{internId}/attached-vault`: lets an intern use the vault of another intern. */
  attachVault: async (call, { services }) => {
    const intern = await services.interns.attach(call, call.params.internId, call.body.vault_id);
    return { status: 200, body: presentIntern(intern) };
  },

  /** Handles `DELETE /interns/{internId}/attached-vault`: stops an intern from using another intern's vault. */
  detachVault: async (call, { services }) => {
    const intern = await services.interns.detach(call, call.params.internId);
    return { status: 200, body: presentIntern(intern) };
  },
};

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

/** Turns an intern into the body of the responses that show one. */
function presentIntern(intern: Intern): InternRecord {
  return {
    id: intern.id,
    name: intern.name,
    description: intern.description,
    instructions: intern.instructions,
    model: intern.model,
    status: intern.status,
    progress: intern.progress === null ? null : presentProgress(intern.progress),
    hostname: intern.hostname,
    last_failure_message: intern.lastFailureMessage,
    vault_id: intern.vaultId,
    attached_vault_id: intern.attachedVaultId,
    workspace_id: intern.workspaceId,
    created_at: intern.createdAt.toISOString(),
    updated_at: intern.updatedAt.toISOString(),
  };
}

function presentProgress({ stepLabel, stepNumber, totalSteps }: InternProgress) {
  return { step_label: stepLabel, step_number: stepNumber, total_steps: totalSteps };
}
