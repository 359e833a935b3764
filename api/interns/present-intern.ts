/** Turns an intern into the body of the responses that show one. */
import type { InternRecord } from '../../contract/interns/intern.ts';
import type { Intern, InternProgress } from '../../domain/interns/intern-record.ts';

export function presentIntern(intern: Intern): InternRecord {
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
