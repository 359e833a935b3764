/** Chooses one of the organization's workspaces, or one of the providers of the catalog. */
import { callTo, useCall } from '../../api/call.ts';
import { type Option, SelectField } from './field.tsx';

interface ChoiceProps {
  value: string | undefined;
  /** Receives undefined for no choice. */
  onPick: (value: string | undefined) => void;
}

interface WorkspaceFieldProps extends ChoiceProps {
  /** What no choice stands for: "All workspaces". Absent: there is always one. */
  none?: string;
  /** Choices that are no workspaces. */
  extra?: readonly Option[];
}

/** The most workspaces of a page of the list. Others are chosen by the URL. */
const LISTED = 100;

export function useWorkspaces(): readonly { id: string; name: string }[] {
  return useCall(callTo('GET', '/workspaces', { query: { limit: LISTED } })).data?.data ?? [];
}

export function WorkspaceField({ none, extra = [], ...choice }: WorkspaceFieldProps) {
  const workspaces = useWorkspaces().map(({ id, name }) => ({ value: id, label: name }));
  return <ChoiceField label="Workspace" none={none} options={[...extra, ...workspaces]} {...choice} />;
}

export function ProviderField(choice: ChoiceProps) {
  const { data } = useCall(callTo('GET', '/providers', {}), { staleTime: 300_000 });
  const options = data?.data.map(({ slug, name }) => ({ value: slug, label: name })) ?? [];
  return <ChoiceField label="Provider" none="Any" options={options} {...choice} />;
}

interface ChoiceFieldProps extends ChoiceProps {
  label: string;
  none: string | undefined;
  options: readonly Option[];
}

/** Also offers a value of the URL that is not among the options. */
function ChoiceField({ label, none, options, value, onPick }: ChoiceFieldProps) {
  const isListed = value === undefined || options.some((option) => option.value === value);
  return (
    <SelectField
      label={label}
      value={value ?? ''}
      options={[
        ...(none === undefined ? [] : [{ value: '', label: none }]),
        ...options,
        ...(isListed ? [] : [{ value, label: value }]),
      ]}
      onPick={(picked) => onPick(picked || undefined)}
    />
  );
}
