/** Lists the regular keys of a workspace, and creates, edits and deletes them. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Page } from '../../parts/page/page.tsx';
import { OffsetPages, offsetOf } from '../../parts/paging/offset-pages.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { CreateKey } from './create-key.tsx';
import { DeleteKey, SwitchKey } from './end-key.tsx';
import { EditKey } from './edit-key.tsx';
import type { Key, KeyAction } from './key-form.tsx';
import { KeyFilters, type KeySearch } from './key-filters.tsx';
import { KeyTable } from './key-table.tsx';

const route = getRouteApi('/keys');

/** The API lists this many keys at a time. */
const PAGE_SIZE = 100;

export function Keys() {
  const search = route.useSearch();
  const { workspace_id, disabled } = search;
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [open, setOpen] = useState<Opened | 'create'>();
  const workspaces = useQuery({
    queryKey: ['workspaces'],
    queryFn: async ({ signal }) => (await read(api.GET('/workspaces', { signal }))).data,
  });
  const from = offsetOf(search.offset);
  const shows = disabled !== 'hidden';
  const query = {
    workspace_id,
    offset: from || undefined,
    include_disabled: shows,
    include_expired: shows,
  };
  const list = useQuery({
    queryKey: ['keys', query],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await read(api.GET('/keys', { params: { query }, signal }))).data,
  });
  const change = (part: KeySearch) =>
    void navigate({ search: (last) => ({ ...last, offset: undefined, ...part }) });
  const close = (): void => {
    setOpen(undefined);
    void queries.invalidateQueries({ queryKey: ['keys'] });
  };
  return (
    <Page
      title="Keys"
      about="Regular keys call models. Each may have a limit of its own."
      actions={
        <>
          <CopyCurl call={{ method: 'GET', path: '/keys', query }} />
          <Button look="main" onClick={() => setOpen('create')}>
            Create key
          </Button>
        </>
      }
    >
      <KeyFilters workspaces={workspaces.data ?? []} search={search} onChange={change} />
      <Loaded query={list} what="the keys">
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="There are no keys here.">Create a key to call models with.</Empty>
          ) : (
            <KeyTable rows={rows} onAction={(action, key) => setOpen({ action, subject: key })} />
          )
        }
      </Loaded>
      <OffsetPages from={from} shown={list.data?.length ?? 0} pageSize={PAGE_SIZE} />
      {open === 'create' && (
        <CreateKey workspaces={workspaces.data ?? []} workspaceId={workspace_id} onClose={close} />
      )}
      {typeof open === 'object' && <Action {...open} onClose={close} workspaces={workspaces.data ?? []} />}
    </Page>
  );
}

interface Opened {
  action: KeyAction;
  subject: Key;
}

interface ActionProps extends Opened {
  workspaces: readonly { id: string; name: string }[];
  onClose: () => void;
}

function Action({ action, subject, workspaces, onClose }: ActionProps) {
  if (action === 'edit') return <EditKey subject={subject} workspaces={workspaces} onClose={onClose} />;
  if (action === 'switch') return <SwitchKey subject={subject} onClose={onClose} />;
  return <DeleteKey subject={subject} onClose={onClose} />;
}
