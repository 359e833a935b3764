import { recordYesterday } from '../../support/analytics.ts';
import { createCaller } from '../../support/caller.ts';
import { addDraft } from '../../support/own-resources.ts';
import { askChat, completed } from '../../support/chat.ts';
import { CONFIGS, draftOf } from '../../support/destinations.ts';
import { addGroup, addPerson } from '../../support/directory.ts';
import type { Gateway } from '../../support/gateway.ts';
import { logged } from '../../support/generation-reads.ts';
import { makeIntern } from '../../support/interns.ts';
import { ended, submit } from '../../support/jobs.ts';
import { addValidation } from '../../support/private-endpoints.ts';
import { updateWorkspace } from '../../support/workspaces.ts';

const BASE_URL = 'http://127.0.0.1:1/v1';

/** Makes what the functions of the published client read and change. The script finds it in SCENE. */
export async function makeScene(gateway: Gateway): Promise<object> {
  const manager = createCaller(gateway.origin, gateway.managementKey);
  await updateWorkspace(manager, gateway.workspaceId, { is_observability_io_logging_enabled: true });
  const { id: generationId } = await completed(await askChat(gateway, {}));
  await logged(gateway, generationId);
  await recordYesterday(gateway);
  const { id: jobId } = await submit(gateway);
  await ended(gateway, jobId);
  const { rows } = await gateway.database.query<{ id: string }>('select id from users');
  const validated = await addDraft(gateway, { base_url: BASE_URL });
  await addValidation(gateway, validated);
  return {
    management_key: gateway.managementKey,
    workspace_id: gateway.workspaceId,
    user_id: rows[0]!.id,
    generation_id: generationId,
    job_id: jobId,
    group_id: await addGroup(gateway, [await addPerson(gateway)]),
    endpoint_id: validated,
    intern_id: (await makeIntern(createCaller(gateway.origin, gateway.apiKey))).id,
    destinations: Object.keys(CONFIGS).map((type) => draftOf(type as keyof typeof CONFIGS)),
  };
}
