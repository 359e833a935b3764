/** Shows one workspace: its settings, its budgets and its webhooks. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { callTo, useCall } from '../../api/call.ts';
import { buttonClass } from '../../parts/button/button.tsx';
import { Confirm, DialogButton } from '../../parts/dialog/dialog.tsx';
import { Columns, Page } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import { Budgets } from './budgets.tsx';
import { Settings } from './settings.tsx';
import { WebhookSecret, WebhookTest } from './webhook.tsx';

const route = getRouteApi('/workspaces/$id');

export function Workspace() {
  const { id } = route.useParams();
  const call = callTo('GET', '/workspaces/{id}', { path: { id } });
  const workspace = useCall(call);
  const name = workspace.data?.data.name;
  return (
    <Page
      title={name ?? 'Workspace'}
      about={<code>{id}</code>}
      call={call}
      actions={
        <>
          <Link to="/keys" search={{ workspace_id: id }} className={buttonClass()}>
            Keys
          </Link>
          <DialogButton look="danger" label="Delete">
            {(close) => <DeleteWorkspace id={id} name={name ?? id} onClose={close} />}
          </DialogButton>
        </>
      }
    >
      <Loaded query={workspace} what="the workspace">
        {({ data }) => (
          <Columns>
            <Settings key={data.updated_at} workspace={data} />
            <div className="stack">
              <Budgets id={id} />
              <WebhookTest id={id} />
              <WebhookSecret id={id} />
            </div>
          </Columns>
        )}
      </Loaded>
    </Page>
  );
}

function DeleteWorkspace({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <Confirm
      title={`Delete workspace “${name}”?`}
      action="Delete workspace"
      call={callTo('DELETE', '/workspaces/{id}', { path: { id } })}
      onDone={() => void navigate({ to: '/workspaces' })}
      onClose={onClose}
    >
      <p>
        Its destinations, presets and secrets are deleted. A workspace with active keys or running jobs cannot
        be deleted. Its usage stays in the overview.
      </p>
    </Confirm>
  );
}
