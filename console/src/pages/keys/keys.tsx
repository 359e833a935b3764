/** Lists the regular keys of a workspace, and creates, edits and deletes them. */
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { callTo } from '../../api/call.ts';
import { DialogButton } from '../../parts/dialog/dialog.tsx';
import { useWorkspaces, WorkspaceField } from '../../parts/field/choice-fields.tsx';
import { CheckField } from '../../parts/field/field.tsx';
import { useFilterChange } from '../../parts/field/filters.tsx';
import { Toolbar } from '../../parts/page/page.tsx';
import { ListPage } from '../../parts/paging/list-page.tsx';
import { usePage } from '../../parts/paging/listed.tsx';
import { Empty } from '../../parts/states/states.tsx';
import { CreateKey, DeleteKey, EditKey, SwitchKey } from './key-dialogs.tsx';
import type { Key, KeyAction } from './key-form.tsx';
import { keyColumns } from './key-table.tsx';

const route = getRouteApi('/keys');

/** The API lists this many keys at a time. */
const PAGE_SIZE = 100;

export function Keys() {
  const search = route.useSearch();
  const workspaces = useWorkspaces();
  const [opened, setOpened] = useState<{ action: KeyAction; subject: Key }>();
  const isAll = search.workspace_id === 'all';
  const list = useKeys(search);
  const change = useFilterChange();
  const Action = opened && ACTIONS[opened.action];
  return (
    <>
      <ListPage
        title="Keys"
        about="Regular keys call models. Each may have a limit of its own."
        actions={
          <DialogButton look="main" label="Create key">
            {(close) => <CreateKey workspaceId={isAll ? undefined : search.workspace_id} onClose={close} />}
          </DialogButton>
        }
        filters={
          <Toolbar label="Filters">
            <WorkspaceField
              none="Default workspace"
              extra={[{ value: 'all', label: 'All workspaces' }]}
              value={search.workspace_id}
              onPick={(id) => change({ workspace_id: id })}
            />
            <CheckField
              label="Hide disabled and expired keys"
              checked={search.disabled === 'hidden'}
              onCheck={(checked) => change({ disabled: checked ? 'hidden' : undefined })}
            />
          </Toolbar>
        }
        list={list}
        caption="Keys"
        columns={keyColumns(isAll ? workspaces : undefined, (action, subject) =>
          setOpened({ action, subject }),
        )}
        empty={<Empty title="There are no keys here.">Create a key to call models with.</Empty>}
      />
      {Action && <Action subject={opened.subject} onClose={() => setOpened(undefined)} />}
    </>
  );
}

const ACTIONS = { edit: EditKey, switch: SwitchKey, delete: DeleteKey };

function useKeys({ workspace_id, disabled }: { workspace_id?: string; disabled?: string }) {
  const shows = disabled !== 'hidden';
  const filters = { workspace_id, include_disabled: shows, include_expired: shows };
  return usePage(
    // The API pages keys by itself.
    ({ offset }) => callTo('GET', '/keys', { query: { ...filters, offset: offset || undefined } }),
    { pageSize: PAGE_SIZE },
  );
}
