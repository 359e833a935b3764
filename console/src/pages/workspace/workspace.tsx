/** Shows one workspace: its settings, its budgets and its webhooks. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { Button, buttonClass } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Confirm } from '../../parts/dialog/confirm.tsx';
import { Columns, Page, Stack } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import { Budgets } from './budgets.tsx';
import { Settings } from './settings.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { WebhookTest } from './webhook-test.tsx';

const route = getRouteApi('/workspaces/$id');

export function Workspace() {
  const { id } = route.useParams();
  const path = { id };
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const workspace = useQuery({
    queryKey: ['workspace', id],
    queryFn: async ({ signal }) =>
      (await read(api.GET('/workspaces/{id}', { params: { path }, signal }))).data,
  });
  const remove = async (): Promise<void> => {
    await read(api.DELETE('/workspaces/{id}', { params: { path } }));
    await queries.invalidateQueries({ queryKey: ['workspaces'] });
    await navigate({ to: '/workspaces' });
  };
  return (
    <Page
      title={workspace.data?.name ?? 'Workspace'}
      about={<code>{id}</code>}
      actions={<Actions id={id} onDelete={() => setAsks(true)} />}
    >
      <Loaded query={workspace} what="the workspace">
        {(record) => (
          <Columns>
            <Settings key={record.updated_at} workspace={record} />
            <Stack>
              <Budgets id={id} />
              <WebhookTest id={id} />
              <WebhookSecret id={id} />
            </Stack>
          </Columns>
        )}
      </Loaded>
      {asks && (
        <Confirm
          title={`Delete workspace “${workspace.data?.name}”?`}
          action="Delete workspace"
          call={{ method: 'DELETE', path: `/workspaces/${id}` }}
          run={remove}
          onClose={() => setAsks(false)}
        >
          <p>
            Its destinations, presets and secrets are deleted. A workspace with active keys or running jobs
            cannot be deleted. Its usage stays in the overview.
          </p>
        </Confirm>
      )}
    </Page>
  );
}

function Actions({ id, onDelete }: { id: string; onDelete: () => void }) {
  return (
    <>
      <CopyCurl call={{ method: 'GET', path: `/workspaces/${id}` }} />
      <Link to="/keys" search={{ workspace_id: id }} className={buttonClass()}>
        Keys
      </Link>
      <Button look="danger" onClick={onDelete}>
        Delete
      </Button>
    </>
  );
}
