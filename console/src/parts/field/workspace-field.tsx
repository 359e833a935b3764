/** Chooses one of the organization's workspaces. */
import { useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.ts';
import { SelectField } from './field.tsx';

interface WorkspaceFieldProps {
  value: string | undefined;
  onPick: (id: string | undefined) => void;
  /** What no choice stands for: "All workspaces". */
  none: string;
}

/** The most workspaces of a page of the list. Others are chosen by the URL. */
const LISTED = 100;

export function WorkspaceField({ value, onPick, none }: WorkspaceFieldProps) {
  const query = { limit: LISTED };
  const { data: workspaces = [] } = useQuery({
    queryKey: ['workspaces', query],
    queryFn: async ({ signal }) => (await read(api.GET('/workspaces', { params: { query }, signal }))).data,
  });
  const isListed = value === undefined || workspaces.some(({ id }) => id === value);
  return (
    <SelectField
      label="Workspace"
      value={value ?? ''}
      options={[
        { value: '', label: none },
        ...workspaces.map(({ id, name }) => ({ value: id, label: name })),
        ...(isListed ? [] : [{ value, label: value }]),
      ]}
      onPick={(id) => onPick(id || undefined)}
    />
  );
}
