/** Lists the regular keys of a workspace, and creates, edits and deletes them. */
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { callTo } from '../../api/call.ts';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { DialogButton } from '../../parts/dialog/dialog-button.tsx';
import { useWorkspaces } from '../../parts/field/choice-fields.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Listed } from '../../parts/paging/listed.tsx';
import { usePage } from '../../parts/paging/use-page.ts';
import { Empty } from '../../parts/states/states.tsx';
import { CreateKey } from './create-key.tsx';
import { DeleteKey, SwitchKey } from './end-key.tsx';
import { EditKey } from './edit-key.tsx';
import type { Key, KeyAction } from './key-form.tsx';
import { KeyFilters, type KeySearch } from './key-filters.tsx';
import { keyColumns } from './key-table.tsx';

const route = getRouteApi('/keys');

/** The API lists this many keys at a time. */
const PAGE_SIZE = 100;

export function Keys() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const workspaces = useWorkspaces();
  const [opened, setOpened] = useState<{ action: KeyAction; subject: Key }>();
  const isAll = search.workspace_id === 'all';
  const list = useKeys(search);
  const change = (part: KeySearch) =>
    void navigate({ search: (last) => ({ ...last, offset: undefined, ...part }) });
  const Action = opened && ACTIONS[opened.action];
  return (
    <Page
      title="Keys"
      about="Regular keys call models. Each may have a limit of its own."
      actions={
        <>
          <CopyCurl call={list.call} />
          <DialogButton look="main" label="Create key">
            {(close) => <CreateKey workspaceId={isAll ? undefined : search.workspace_id} onClose={close} />}
          </DialogButton>
        </>
      }
    >
      <KeyFilters search={search} onChange={change} />
      <Listed
        list={list}
        caption="Keys"
        keyOf={({ hash }) => hash}
        columns={keyColumns(isAll ? workspaces : undefined, (action, subject) =>
          setOpened({ action, subject }),
        )}
        empty={<Empty title="There are no keys here.">Create a key to call models with.</Empty>}
      />
      {Action && <Action subject={opened.subject} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

const ACTIONS = { edit: EditKey, switch: SwitchKey, delete: DeleteKey };

function useKeys({ workspace_id, disabled }: KeySearch) {
  const shows = disabled !== 'hidden';
  const filters = { workspace_id, include_disabled: shows, include_expired: shows };
  return usePage(
    // The API pages keys by itself.
    ({ offset }) => callTo('GET', '/keys', { query: { ...filters, offset: offset || undefined } }),
    { pageSize: PAGE_SIZE },
  );
}
